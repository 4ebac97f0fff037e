package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Presence is what a restart asks about peers.
type Presence interface {
	// Grace tells how a minion of this node is, and how long it has to come back; 0:
	// what the account grants.
	Grace(id string) (Liveness, time.Duration)
	// Spec describes a job of an earlier life by its load, as [Publication.Spec] does:
	// of its own minions those that have not answered, the nodes of now, and, unclaimed, the ids
	// of a list that this node does not have.
	Spec(load returners.Load, minions []string) Job
}

// Restore takes up a job that is marked as open in an earlier life. known is false for
// one that was not stored: nothing of it is to be kept.
func (e *Engine) Restore(ctx context.Context, jid string, p Presence) (known bool, err error) {
	load, loaded, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("take up job %s: %w", jid, err)
	}
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("take up job %s: %w", jid, err)
	}
	if !returners.PublishedHere(loaded, xs...) {
		known, err := e.adoptAgain(ctx, jid, xs, p)
		if err == nil && !known {
			e.unmark(jid)
		}
		return known, err
	}
	rets, err := e.cfg.Storage.Outcomes(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("take up job %s: %w", jid, err)
	}
	if err := e.ledger.openJob(e.restored(load, xs, rets, p)); err != nil {
		return true, nil //nolint:nilerr // given again before its turn came: its account is open
	}
	defer e.ledger.entered(jid)
	states := map[string]jobevent.NodeState{}
	for _, x := range xs {
		if s := jobevent.NodeState(x.State); s.Failed() {
			states[x.Node] = s
		}
		if x.Node != "" && spoke(x) {
			e.ledger.expect(jid, Expectation{Path: x.Node, Minions: x.Minions, Partial: e.partial(ctx, x)})
		}
	}
	for _, x := range xs { // after all have said whom they ask: another may have whom one misses
		gone := map[string]jobevent.Absence{}
		for id, why := range x.Missing {
			gone[id] = jobevent.Absence{Reason: why, Path: x.Node}
		}
		e.ledger.reportGone(jid, gone, nil)
	}
	e.ledger.reportGone(jid, nil, states)
	return true, nil
}

// restored describes a job as it was opened: this node's own minions from their stored
// expectation, the nodes that are known now, and who has returned.
func (e *Engine) restored(load returners.Load, xs []returners.Expectation, rets []returners.Outcome, p Presence) Job {
	answered := func(id string) bool { // rets are sorted
		_, ok := slices.BinarySearchFunc(rets, id, func(r returners.Outcome, id string) int { return strings.Compare(r.ID, id) })
		return ok
	}
	var own []string
	for _, x := range xs {
		if x.Node == "" {
			own = append(own, slices.DeleteFunc(slices.Clone(x.Minions), answered)...)
		}
	}
	spec := p.Spec(load, own)
	spec.Part = load.Part()
	spec.Unclaimed = e.unclaimed(spec.Unclaimed, xs, answered)
	spec.Entering, spec.Answers = true, make([]Answer, len(rets))
	for i, r := range rets {
		spec.Answers[i] = Answer{ID: r.ID, Path: r.Via, OK: r.OK}
	}
	return spec
}

// unclaimed are the ids of a target of which nothing is known: nobody has spoken of them. A master
// above finds out about those itself.
func (e *Engine) unclaimed(ids []string, xs []returners.Expectation, answered func(id string) bool) []string {
	if e.cfg.Parent {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return answered(id) || slices.ContainsFunc(xs, func(x returners.Expectation) bool {
			_, gone := x.Missing[id]
			_, asked := slices.BinarySearch(x.Minions, id)
			return gone || asked
		})
	})
}

// unmark forgets a job that was marked as open and is not known.
func (e *Engine) unmark(jid string) {
	e.change(func() {
		delete(e.open, jid)
		e.words.put(record{notes: []returners.Note{{Kind: returners.NoteOpen, JID: jid, Gone: true}}})
	})
}

// EndAgain has a closed job ended on which words were let go while a disk took nothing:
// all is noted anew that this node has found. What nodes have said and is not stored they
// say again.
func (e *Engine) EndAgain(ctx context.Context, jid string, p Presence) error {
	a, known := e.ledger.State(jid)
	e.mu.Lock()
	_, open := e.open[jid]
	e.mu.Unlock()
	switch {
	case !open:
		return nil
	case !known:
		_, err := e.Restore(ctx, jid, p)
		return err
	case a.Open(): // its end is still to come
		return nil
	}
	for path, s := range a.Nodes {
		if !s.Failed() {
			delete(a.Nodes, path)
		}
	}
	e.change(func() {
		since := e.words.losses
		e.words.note(absences(jid, a.Missing, a.Nodes, e.cfg.Now())...)
		e.words.put(record{end: jid, since: since})
	})
	return nil
}
