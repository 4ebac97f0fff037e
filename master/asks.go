package master

import (
	"context"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/tops"
	"github.com/momtree/mom/returners"
)

// openMine opens what minions give to the mine.
func (m *Master) openMine() {
	c := m.cfg
	m.mine = mine.New(mine.Options{
		Ctx: m.ctx, Cachedir: c.Cachedir, Keep: c.MinionDataCache || c.EnforceMineCache, MaxSize: c.MineMaxSize, Depth: c.Bounds.Depth,
		Bounds: c.Bounds, Rules: c.MineGet, Start: c.AclMatch == config.AclMatchStart, Nodegroups: c.Nodegroups,
		Minions: func() []string { return m.keys.List(keys.Accepted) }, Accepted: m.keys.Accepted,
		Subject: m.data.Subject, Where: m.policy.Where,
		Data:  func(ctx context.Context, q below.DataQuestion) (below.Data, error) { return m.below.Data(ctx, q) },
		Above: &m.above, Below: m.tree.Node, Owns: m.speaksFor,
		Trespassed: m.policy.Trespassed, Log: m.log, Now: m.now,
	})
}

// speaksFor tells whether a node right below speaks for a minion: one that it has reported.
func (m *Master) speaksFor(node, id string) bool {
	return m.policy.Claims().Has(node, id) && m.policy.MayAnswer(node, id) == nil
}

// openPeerCalls opens what minions have others do, and the master.
func (m *Master) openPeerCalls() {
	m.peerCalls = peercall.New(peercall.Options{
		Bounds: m.cfg.Bounds, Rules: m.access.Peers, Own: m.access.Own, Publish: m.publisher.GivePeer, State: m.jobs.State,
		Results: func(ctx context.Context) (returners.Reader, error) { return runnerEnv{m, m.access.Own}.Jobs(ctx, "") },
		Above:   &m.above, Owns: m.speaksFor, Runners: m.runners, JID: m.jids.Next, Bus: m.bus,
		Audit: m.audit.Note, Trespassed: m.policy.Trespassed, Log: m.log,
	})
}

// openTops reads where states come from beside the top file.
func (m *Master) openTops() (err error) {
	m.tops, err = tops.New(m.cfg.MasterTops, m.cfg.Bounds, m.log)
	return err
}

var _ runners.Miner = runnerEnv{}

// Mine gives what minions of the tree from here down have in the mine.
func (e runnerEnv) Mine(ctx context.Context, tgt any, tgtType string, names []string) (map[string]map[string]any, map[string]string, error) {
	return e.m.mine.All(ctx, mine.Question{Tgt: tgt, TgtType: tgtType, Names: names})
}
