package master

import (
	"context"
	"maps"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/returners"
)

// restore opens the accounts of an earlier life again. Their minions and nodes
// get the time to reconnect that presence gives after a start.
func (m *Master) restore(ctx context.Context) {
	jids := m.jobs.Open()
	m.publications.TakeUpQueues()
	m.restoreJobs(ctx, jids)
	m.publications.TakeUp()
}

// restoreJobs takes up jobs, several at a time: there may be thousands, of ten thousand
// returns each.
func (m *Master) restoreJobs(ctx context.Context, jids []string) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, jid := range jids {
		g.Go(func() error {
			if err := m.restoreJob(ctx, jid); err != nil {
				m.log.Error("An open job could not be taken up again", "jid", jid, "err", err)
			}
			return nil
		})
	}
	_ = g.Wait() // it has no error: each was told
}

func (m *Master) restoreJob(ctx context.Context, jid string) error {
	known, err := m.jobs.Restore(ctx, jid, comingBack{m})
	if err == nil && !known { // it was killed before the job was stored
		m.publications.Drop(jid)
	}
	return err
}

// knownBehind gives the minions behind a node that a stored job means, by the
// reports of the node in this life or, of one that has not come back, by those in
// an earlier one, which do not tell paths.
func (m *Master) knownBehind(node string, load returners.Load) map[string]string {
	expr, _, err := storedTarget(load.Raw)
	if err != nil { // then nobody is named, as of a target that only minions can tell
		return nil
	}
	out := map[string]string{}
	for _, id := range m.policy.Claims().Of(node) {
		if expr.Match(target.ID(id)) {
			out[id] = node
		}
	}
	if below, ok := m.tree.Node(node); ok {
		maps.Copy(out, ownership.Known(below, node, expr))
	}
	return out
}

// comingBack is what a master that has begun a life knows of its peers: they have the
// time to reconnect that presence gives after a start.
type comingBack struct{ m *Master }

// Grace is described at [jobs.Presence].
func (c comingBack) Grace(id string) (ledger.Liveness, time.Duration) { return c.m.peers.Grace(id) }

// Spec is described at [jobs.Presence].
func (c comingBack) Spec(load returners.Load, minions []string) ledger.Job {
	m := c.m
	spec := ledger.Job{JID: load.JID, Timeout: m.cfg.Timeout}
	_ = wire.Fields(load.Raw, func(key string, val wire.Raw) error { // a load without fun has no name, that is all
		switch key {
		case "fun":
			spec.Fun = wire.FunName(val)
		case "kwargs":
			spec.Queue = m.publications.StillQueued(val)
		}
		return nil
	})
	if m.publications.Unpublished(load.JID) { // minions without presence get it when they subscribe
		spec.Timeout += publications.Republished
	}
	spec.Minions = m.peers.Minions(minions, func(string) bool { return true })
	for _, id := range m.policy.Nodes() {
		if m.keys.Accepted(id) {
			n := ledger.Node{ID: id}
			n.Live, _ = m.peers.Node(id)
			if n.Live == ledger.Away { // it had the job and speaks again when it is back
				n.Live = ledger.Up
			}
			if n.Live != ledger.Untracked {
				n.Known = func() map[string]string { return m.knownBehind(id, load) }
			}
			spec.Nodes = append(spec.Nodes, n)
		}
	}
	if expr, tgtType, err := storedTarget(load.Raw); err == nil {
		m.policy.Aimed(load.JID, tgtType, expr)
	}
	m.log.Info("An open job is taken up again", "jid", load.JID, "minions", len(minions))
	return spec
}

// storedTarget reads whom a stored load means.
func storedTarget(load wire.Raw) (expr target.Expr, tgtType string, err error) {
	d, err := wire.DecodeMap(load)
	if err != nil {
		return nil, "", err
	}
	tgt, _ := d.Get("tgt")
	if tgtType = d.String("tgt_type"); tgtType == "" {
		tgtType = "glob"
	}
	expr, err = target.Parse(tgt, tgtType, target.Options{})
	return expr, tgtType, err
}
