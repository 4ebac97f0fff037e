package master

import (
	"path/filepath"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// openTree opens what is known of the tree, as data: the tree, who is connected, who is a guest, and
// which runner calls are in progress.
func (m *Master) openTree() (err error) {
	m.tree = topology.NewTree(topology.Node{ID: m.node, Role: roleOf(m.parent), Version: m.version}, m.now)
	m.journal, err = retention.OpenJournal(retention.JournalOptions{Path: filepath.Join(m.cfg.Cachedir, "diary"), Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.presence = peers.OpenRegistry(m.cfg, m.journal.Position, m.log, m.now)
	m.guests, err = failover.Open(failover.StateOptions{Config: m.cfg, Node: m.node, Up: m.presence.Up, Log: m.log, Now: m.now})
	m.calls = runners.NewCalls(runners.CallsOptions{
		Ctx: m.ctx, ID: m.id, MaxEvent: m.cfg.MaxEventSize, Depth: m.cfg.Bounds.Depth, Store: m.store, Fire: m.fire,
		Mask: secrets.Masker{Off: !m.cfg.MaskJobArgs}, Keeping: runners.KeepingOf(m.cfg.RunnerReturns), Log: m.log, Now: m.now,
	})
	return err
}

func roleOf(parent string) string {
	if parent == "" {
		return "master"
	}
	return presence.Syndic
}

// openPolicy opens the ownership policy, and the server that asks it.
func (m *Master) openPolicy() (err error) {
	m.policy, err = ownership.Open(ownership.Options{
		PkiDir: m.cfg.PkiDir, SyndicDir: m.cfg.SyndicDir, Cachedir: m.cfg.Cachedir, SyndicIDs: m.cfg.SyndicIds, OrderMasters: m.cfg.OrderMasters,
		Nodegroups: m.cfg.Nodegroups, Prune: m.cfg.PublishPrune, EventTags: m.cfg.MinionEventTags,
		Keys: m.keys, Presence: m.presence, NodeConns: m.presence.NodeConns, Running: m.calls.Running, Guest: m.guests.MayBeNode, Absent: m.guests.Absent,
		Subject: m.subject, Resources: m.resources, KeepsData: m.cfg.MinionDataCache, Keeps: m.cfg.PublishRetention > 0,
		Barred: server.Logged("speaks as a syndic and may not"),
		Tree:   m.tree, Fire: m.fire, Refused: func() { m.stats.Refused.Add(1) }, Failing: m.failing, Log: m.log, Now: m.now,
	})
	if err != nil {
		return err
	}
	m.policy.Inherit(m.presence.Peers())
	m.server = server.New(server.Options{
		Ctx: m.ctx, MinimumVersion: m.cfg.MinimumAuthVersion, TTL: m.cfg.RequestServerTtl, Depth: m.cfg.Bounds.Depth,
		WorkValues: m.cfg.Bounds.WorkValues, Waiting: m.cfg.Bounds.SignIns, Turns: m.keys.Turns,
		Keys: m.keys, Sessions: m.keys.Sessions, Toks: m.keys.Toks, Shared: m.keys.Shared, Node: m.policy.IsNode,
		User: m.access.User, Own: m.access.Own, Logins: access.Logins{Auth: m.logins, Rules: m.access.External},
		Tracer: m.tracer, Traces: m.traces, Stats: &m.stats, Log: m.log, Now: m.now,
	})
	return nil
}

// openBelow creates the queries to nodes below, and the mine, which asks them.
func (m *Master) openBelow() error {
	m.openEntries()
	m.below = below.New(below.Options{
		Node: m.node, Version: m.version, Own: m.access.Own, Keys: m.keys, Policy: m.policy, Presence: m.presence, Publications: m.publications,
		Jobs: m.jobs, Store: m.store, JIDs: m.jids, Traces: m.traces, Data: m.data, Resources: m.resources, Mine: m.entries, Log: m.log,
	})
	m.openMine()
	return nil
}

// openPeers creates the service that keeps presence up to date.
func (m *Master) openPeers() error {
	m.peers = peers.New(peers.Options{
		Config: m.cfg, Node: m.node, User: m.access.Own, Registry: m.presence, Keys: m.keys, Policy: m.policy, Claims: m.policy.Claims(),
		Jobs: m.jobs, Answers: m.jobs, Publications: m.publications, Keeps: m.cfg.PublishRetention > 0, Manager: m.resources.Manager,
		Announced: m.failover.Announced, Secret: m.keys.Identity.Pair.Private.D.Bytes(), Signing: m.keys.Turns,
		Busy: func() bool { return m.server.Waiting() > 0 }, JID: m.jids.Next,
		Tree: m.tree, Fire: m.fire, Failing: m.failing, Log: m.log, Now: m.now,
	})
	return nil
}
