package master

import (
	"context"
	"strings"
	"time"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/owners"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// scrapeTime bounds what is read from the store for one scrape.
const scrapeTime = 5 * time.Second

// Metrics are the master's figures and checks.
func (m *Master) Metrics() metrics.Source {
	t := newJobTally()
	return metrics.Source{
		Collect: func(s *metrics.Sink) {
			m.collectWork(s)
			m.collectPeers(s)
			m.collectStore(s)
			collectSocket(s, "router", m.router.Stats().HostStats)
			collectSocket(s, "pub", m.pub.Stats().HostStats)
			m.collectBus(s)
			t.collect(s)
		},
		Run:    func(ctx context.Context) { t.run(ctx, m.bus) },
		Checks: m.checks,
	}
}

// checks tell whether minions and clients can be served.
func (m *Master) checks(ctx context.Context) []metrics.Check {
	serving := metrics.Check{Name: "serving", Reason: "the master starts, or ends"}
	select {
	case <-m.ready:
		if serving.OK = m.ctx.Err() == nil; serving.OK {
			serving.Reason = ""
		}
	default:
	}
	store := metrics.Check{Name: "store", OK: true}
	if err := m.store.Writable(ctx); err != nil {
		store.OK, store.Reason = false, err.Error()
	}
	return []metrics.Check{serving, store}
}

func (m *Master) collectWork(s *metrics.Sink) {
	st := m.Stats()
	s.Count("mom_returns_total", st.Returns, "new")
	s.Count("mom_returns_total", st.Repeated, "duplicate")
	s.Count("mom_jobs_closed_total", st.Completed)
	_, open := m.ledger.Summaries(0, 0)
	s.Set("mom_jobs_open", float64(open))
	s.Count("mom_refused_total", st.Refused)
	for _, kind := range owners.Kinds {
		s.Count("mom_trespasses_total", st.Trespasses[kind], kind)
	}
	s.Count("mom_panics_total", st.Panics)
	s.Count("mom_sign_ins_gone_total", st.HungUp)
	s.Set("mom_sign_ins_waiting", float64(st.SignInsWaiting))
	for o := range m.tallies.signedIn {
		s.Count("mom_sign_ins_total", m.tallies.signedIn[o].Load(), keys.Outcome(o).String()) //nolint:gosec // the index of a small array
	}
	for cmd, c := range m.tallies.counts {
		s.Count("mom_requests_total", c.served.Load(), cmd)
		s.Count("mom_requests_failed_total", c.failed.Load(), cmd)
		s.Set("mom_request_seconds_total", time.Duration(c.nanos.Load()).Seconds(), cmd)
	}
	s.Count("mom_router_requests_total", st.Router.Requests)
	s.Count("mom_router_replies_total", st.Router.Replies)
	s.Count("mom_router_replies_lost_total", st.Router.LostReplies)
	s.Count("mom_router_dropped_total", st.Router.Dropped)
	s.Count("mom_router_credit_waits_total", st.Router.CreditWaits)
	s.Count("mom_publications_total", st.Pub.Sent)
	s.Count("mom_publications_delivered_total", st.Pub.Delivered)
	s.Count("mom_publications_dropped_total", st.Pub.Dropped)
	s.Set("mom_publications_queued", float64(st.Pub.Queued))
	s.Count("mom_publications_missed_total", st.Missed)
	s.Set("mom_publications_kept", float64(st.KeptPublications))
	s.Set("mom_publications_kept_bytes", float64(st.KeptBytes))
	s.Count("mom_publications_forgotten_total", st.DroppedPublications)
	s.Set("mom_subscribers", float64(st.Pub.Subscribers))
}

func (m *Master) collectPeers(s *metrics.Sink) {
	for _, k := range []struct {
		state keys.State
		name  string
	}{{keys.Accepted, "accepted"}, {keys.Pending, "pending"}, {keys.Rejected, "rejected"}, {keys.Denied, "denied"}} {
		n := float64(m.keys.Len(k.state))
		s.Set("mom_keys", n, k.name)
		if k.state == keys.Accepted {
			s.Set("salt_health_minions_total", n)
		}
	}
	peers := map[[2]string]int{{"minion", "up"}: 0, {"minion", "down"}: 0, {"syndic", "up"}: 0, {"syndic", "down"}: 0}
	for _, p := range m.presence.Peers() {
		key := [2]string{"minion", "down"}
		if p.Role == "syndic" { // a peer names its role itself: others count as minions
			key[0] = "syndic"
		}
		if p.Up {
			key[1] = "up"
		}
		peers[key]++
	}
	for key, n := range peers {
		s.Set("mom_peers", float64(n), key[0], key[1])
	}
	m.collectTree(s, m.tree.Snapshot())
}

// problemKinds are the values of a label; what a newer node below tells is other.
var problemKinds = []topology.Kind{
	topology.Loop, topology.DuplicateNode, topology.DuplicateMinion, topology.ClockSkew, topology.VersionSkew,
	topology.Partition, topology.NodeDown, topology.Backlog, topology.Degraded,
}

func (m *Master) collectTree(s *metrics.Sink, root topology.Node) {
	problems := map[topology.Kind]int{"other": 0}
	for _, k := range problemKinds {
		problems[k] = 0
	}
	for _, p := range topology.NodeProblems(root) {
		if _, known := problems[p.Kind]; !known {
			p.Kind = "other"
		}
		problems[p.Kind]++
	}
	for kind, n := range problems {
		s.Set("mom_tree_problems", float64(n), string(kind))
	}
	s.Set("mom_parent_lag_seconds", root.Vitals.Lag.Seconds())
	s.Set("mom_parent_skew_seconds", root.Vitals.Skew.Seconds())
	nodes := map[topology.State]int{topology.Up: 0, topology.Down: 0, topology.Unknown: 0}
	minions := map[topology.State]int{topology.Up: 0, topology.Down: 0, topology.Unknown: 0}
	countStates(root, topology.Up, nodes, minions)
	nodes[topology.Up]-- // this one
	for _, state := range []topology.State{topology.Up, topology.Down, topology.Unknown} {
		s.Set("mom_tree_nodes", float64(nodes[state]), string(state))
		s.Set("mom_tree_minions", float64(minions[state]), string(state))
	}
}

// countStates counts a subtree; what sits behind a node that is down is unknown.
func countStates(n topology.Node, above topology.State, nodes, minions map[topology.State]int) {
	seen := func(s topology.State) topology.State {
		if above == topology.Down {
			return topology.Unknown
		}
		return s
	}
	nodes[seen(n.State)]++
	if n.State == topology.Down {
		above = topology.Down
	}
	for _, m := range n.Minions {
		minions[seen(m.State)]++
	}
	for _, c := range n.Nodes {
		countStates(c, above, nodes, minions)
	}
}

func (m *Master) collectStore(s *metrics.Sink) {
	ctx, cancel := context.WithTimeout(m.ctx, scrapeTime)
	defer cancel()
	st, err := m.store.Stats(ctx)
	if err != nil {
		m.log.Warn("The outbox could not be looked at for a scrape", "err", err)
	}
	g := st.Group
	s.Count("mom_store_commits_total", g.Commits)
	s.Count("mom_store_commits_failed_total", g.Failed)
	s.Count("mom_store_rows_total", g.Rows)
	s.Set("mom_store_waiting", float64(g.Waiting))
	s.Set("mom_store_commit_seconds", g.Last.Seconds())
	s.Set("mom_store_commit_max_seconds", g.Slowest.Seconds())
	for _, o := range st.Owed {
		s.Set("mom_outbox_rows", float64(o.Rows), o.Dest)
		s.Set("mom_outbox_bytes", float64(o.Bytes), o.Dest)
		age := 0.0
		if !o.Oldest.IsZero() {
			age = max(m.now().Sub(o.Oldest).Seconds(), 0)
		}
		s.Set("mom_outbox_oldest_seconds", age, o.Dest)
	}
	if st.Database != nil {
		collectDatabase(s, *st.Database)
	}
}

func collectDatabase(s *metrics.Sink, d returners.DrainStats) {
	for kind, n := range d.Delivered {
		s.Count("mom_database_delivered_total", n, strings.ToLower(string(kind)))
	}
	s.Count("mom_database_batches_total", d.Batches)
	s.Count("mom_database_rejected_total", d.Rejected)
	for class, n := range d.Errors {
		s.Count("mom_database_errors_total", n, class)
	}
	s.Flag("mom_database_up", !d.Down)
	last := 0.0
	if !d.LastGood.IsZero() {
		last = float64(d.LastGood.Unix())
	}
	s.Set("mom_database_last_write_timestamp_seconds", last)
}

func collectSocket(s *metrics.Sink, socket string, h zmtp.HostStats) {
	s.Set("mom_socket_peers", float64(h.Peers), socket)
	s.Set("mom_socket_handshaking", float64(h.Handshaking), socket)
	s.Count("mom_socket_accepted_total", h.Accepted, socket)
	for reason, n := range map[string]uint64{
		"full": h.RefusedFull, "address": h.RefusedAddr, "evicted": h.Evicted, "handshake": h.HandshakeFailed, "accept": h.AcceptErrors,
	} {
		s.Count("mom_socket_refused_total", n, socket, reason)
	}
	for reason, n := range map[string]uint64{
		"frame": h.CutFrame, "late": h.CutLate, "budget": h.CutBudget, "slow": h.CutSlow, "stalled": h.CutStalled, "silent": h.CutSilent,
	} {
		s.Count("mom_socket_cut_total", n, socket, reason)
	}
	s.Set("mom_socket_backlog_peers", float64(h.BacklogPeers), socket)
	s.Set("mom_socket_backlog_messages", float64(h.BacklogMessages), socket)
	s.Set("mom_socket_backlog_bytes", float64(h.BacklogBytes), socket)
	s.Set("mom_socket_untrusted_bytes", float64(h.UntrustedBytes), socket)
}

func (m *Master) collectBus(s *metrics.Sink) { metrics.CollectBus(s, m.bus.Stats(), m.ipc.Stats()) }
