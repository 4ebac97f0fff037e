package master

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// restore opens the accounts of an earlier life again. Their minions and nodes
// get the time to reconnect that presence gives after a start.
func (m *Master) restore(ctx context.Context) error {
	jids, err := m.open.List()
	if err != nil {
		return err
	}
	for _, r := range m.kept.Records() {
		if err := m.restoreQueue(r); err != nil {
			m.log.Error("A queued job could not be taken up again", "jid", r.JID, "err", err)
		}
	}
	m.restoreJobs(ctx, jids)
	m.restorePublications()
	return nil
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
	load, ok, err := m.store.Local().GetLoad(ctx, jid)
	if err != nil {
		return err
	}
	xs, err := m.store.Local().GetExpectations(ctx, jid)
	if err != nil {
		return err
	}
	given := returners.Given(ok, xs...)
	if !given {
		known, err := m.adoptAgain(ctx, jid)
		if err != nil || known {
			return err
		}
	}
	if !given { // it was killed before the job was stored
		m.kept.Drop(jid)
		return m.open.Clear(jid)
	}
	rets, err := m.store.Outcomes(ctx, jid)
	if err != nil {
		return err
	}
	if err := m.ledger.Open(m.restored(load, xs, rets)); err != nil {
		return nil //nolint:nilerr // published again before we came to it: its account is open
	}
	defer m.ledger.Entered(jid)
	if expr, tgtType, err := storedTarget(load.Raw); err == nil {
		m.meant.Note(jid, tgtType, expr)
	}
	states := map[string]ledger.NodeState{}
	for _, x := range xs {
		if s := ledger.NodeState(x.State); s.Failed() {
			states[x.Node] = s
		}
		if x.Node != "" && spoke(x) {
			m.ledger.Expect(jid, ledger.Expectation{Path: x.Node, Minions: x.Minions, Partial: m.partial(ctx, jid, x)})
		}
	}
	for _, x := range xs { // after all have said whom they ask: another may have whom one misses
		gone := map[string]ledger.Missing{}
		for id, why := range x.Missing {
			gone[id] = ledger.Missing{Reason: why, Path: x.Node}
		}
		m.ledger.Gone(jid, gone, nil)
	}
	m.ledger.Gone(jid, nil, states)
	m.log.Info("An open job was taken up again", "jid", jid, "returned", len(rets))
	return nil
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
	for _, id := range m.claims.Of(node) {
		if expr.Match(target.ID(id)) {
			out[id] = node
		}
	}
	if below, ok := m.tree.Node(node); ok {
		maps.Copy(out, known(below, node, expr))
	}
	return out
}

// restored describes a job as it was opened: this master's own minions from its
// stored expectation, the nodes that are known now, and who has returned.
func (m *Master) restored(load returners.Load, xs []returners.Expectation, rets []returners.Outcome) ledger.Job {
	spec := ledger.Job{JID: load.JID, Timeout: m.cfg.Timeout, Entering: true, Answers: make([]ledger.Answer, len(rets))}
	for i, r := range rets {
		spec.Answers[i] = ledger.Answer{ID: r.ID, Path: r.Via, OK: r.OK}
	}
	answered := func(id string) bool { // rets are sorted
		_, ok := slices.BinarySearchFunc(rets, id, func(r returners.Outcome, id string) int { return strings.Compare(r.ID, id) })
		return ok
	}
	_ = wire.Fields(load.Raw, func(key string, val wire.Raw) error { // a load without fun has no name, that is all
		switch key {
		case "fun":
			spec.Fun = wire.FunName(val)
		case "kwargs":
			spec.Queue = m.stillQueued(val)
		}
		return nil
	})
	if m.kept.Unpublished(load.JID) { // minions without presence get it when they subscribe
		spec.Timeout += republishFor / 2
	}
	for _, x := range xs {
		if x.Node != "" {
			continue
		}
		ids := slices.DeleteFunc(slices.Clone(x.Minions), answered)
		spec.Minions = append(spec.Minions, m.ledgerMinions(ids, func(string) bool { return true })...)
	}
	for _, id := range m.nodes.List() {
		if m.keys.Accepted(id) {
			n := ledger.Node{ID: id}
			n.Live, _ = m.presence.Node(id)
			if n.Live == ledger.Away { // it had the job and speaks again when it is back
				n.Live = ledger.Up
			}
			if n.Live != ledger.Untracked {
				n.Known = func() map[string]string { return m.knownBehind(id, load) }
			}
			spec.Nodes = append(spec.Nodes, n)
		}
	}
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
