package master

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/cluster"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/topology"
)

// aboutCluster prefixes the subjects of the problems of the cluster.
const aboutCluster = "cluster/"

// openCluster creates the links to the other tops of cluster_peers.
func (m *Master) openCluster() error {
	c := m.cfg
	switch {
	case len(c.ClusterPeers) == 0:
		return nil
	case m.parent != "":
		m.log.Warn("cluster ignored: this master is below another", "option", "cluster_peers")
		return nil
	}
	var chans []cluster.Channel
	for _, addr := range c.ClusterPeers {
		ch, err := m.peerChannel(addr)
		if err != nil {
			for _, open := range chans {
				_ = open.Close() // it has no connection
			}
			return fmt.Errorf("cluster_peers: %w", err)
		}
		chans = append(chans, ch)
	}
	m.cluster = cluster.New(cluster.Options{
		ID: c.ClusterID, Node: m.node, Version: m.version, Channels: chans, Roles: m.policy.Roles(), Keys: m.keys, Jobs: ownJobs{m}, Log: m.log, Now: m.now,
		Sync: cluster.OpenKeys(cluster.KeysOptions{
			PkiDir: c.PkiDir, Node: m.node, Store: m.keys, Editor: m.keys.Editor(), Own: func(id string) bool { return m.cluster != nil && m.cluster.IsTop(id) },
			Age: m.ages.Now, Log: m.log,
		}),
	})
	m.leader = cluster.NewLeader(cluster.LeaderOptions{Cluster: c.ClusterID, Node: m.node, Fixed: c.ClusterLeader, Store: m.store.Leaser, Log: m.log})
	if c.ClusterLeader == "" && m.cacheName() == "" {
		m.log.Warn("no top of the cluster runs scheduled jobs and reactions", "option", "cluster_leader",
			"hint", "set cluster_leader to the id of one top, or master_job_cache to a database that all tops share")
	}
	return nil
}

// runCluster runs the links and the lease until the master closes.
func (m *Master) runCluster() {
	if m.cluster == nil {
		return
	}
	unsubscribe := m.keys.Subscribe(func(c keys.Change) { m.cluster.KeysChanged(c.ID) })
	m.wg.Go(func() {
		defer unsubscribe()
		m.cluster.Run(m.ctx)
	})
	m.wg.Go(func() { m.leader.Run(m.ctx) })
}

// admissionsChanged reports changed admissions to the other tops.
func (m *Master) admissionsChanged(ids []string) {
	if m.cluster != nil {
		m.cluster.KeysChanged(ids...)
	}
}

// peerTimeout bounds a sign-in and a request at another top.
const peerTimeout = 3 * time.Second

// peerChannel returns the channel to another top, by which this master signs in with its own key.
func (m *Master) peerChannel(addr string) (*channel.Channel, error) {
	host, port, err := channel.SplitMaster(addr, 4506)
	if err != nil {
		return nil, err
	}
	return channel.New(channel.Config{
		ID: m.node, PkiDir: m.cfg.PkiDir, Pair: m.keys.Identity.Pair, PinName: channel.PinOfTop(host, port), Host: host, Port: port, Option: "cluster_peers",
		Dial:        zmtp.DialConfig{IPv6: m.cfg.Ipv6, DialTimeout: peerTimeout, BackoffMin: 200 * time.Millisecond, BackoffMax: 2 * time.Second},
		AuthTimeout: peerTimeout, AuthTries: 1, RequestTimeout: peerTimeout, RequestTries: 1, Log: m.log.With("addr", addr),
	})
}

// otherTops returns the cluster for the publisher, nil without one.
func (m *Master) otherTops() publish.Tops {
	if m.cluster == nil {
		return nil
	}
	return m.cluster
}

// reported returns the tree from this master down, with the other tops of the cluster.
func (m *Master) reported() topology.Node {
	n := m.tree.Snapshot()
	n.Tops = m.cluster.Tops()
	return n
}

// collectCluster writes the metrics of the other tops. Each is named by its address.
func (m *Master) collectCluster(s *metrics.Sink) {
	if m.cluster == nil {
		return
	}
	for _, st := range m.cluster.Status() {
		s.Flag("mom_top_up", st.Up, st.Addr)
		s.Set("mom_top_behind", float64(st.Behind), st.Addr)
		s.Count("mom_top_dropped_total", st.Dropped, st.Addr)
	}
}

// reportCluster reports tops that are not connected or not admitted.
func (m *Master) reportCluster() {
	if m.cluster == nil {
		return
	}
	now := map[string]bool{}
	for _, p := range m.cluster.Problems() {
		now[p.About] = true
		m.tree.SetProblem(topology.Problem{Kind: topology.Degraded, Detail: p.Detail}, aboutCluster+p.About, true)
	}
	for about := range m.clusterProblems {
		if !now[about] {
			m.tree.SetProblem(topology.Problem{Kind: topology.Degraded}, aboutCluster+about, false)
		}
	}
	m.clusterProblems = now
}
