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

// Presence describes peers to [Engine.Restore].
type Presence interface {
	// Grace returns the liveness of a direct minion and how long it may take to come back; 0 means
	// the lease.
	Grace(id string) (Liveness, time.Duration)
	// Spec returns the job of a stored load, as in [Publication.Spec]: the given minions, the
	// current nodes and, as Unclaimed, the named ids that this node does not have.
	Spec(load returners.Load, minions []string) Job
}

// Restore restores a job marked as open by a previous run. known is false if the job was not
// stored; its state is then dropped.
func (e *Engine) Restore(ctx context.Context, jid string, p Presence) (known bool, err error) {
	load, loaded, err := e.cfg.Storage.GetLoad(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("restore job %s: %w", jid, err)
	}
	xs, err := e.cfg.Storage.GetExpectations(ctx, jid)
	if err != nil {
		return false, fmt.Errorf("restore job %s: %w", jid, err)
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
		return false, fmt.Errorf("restore job %s: %w", jid, err)
	}
	if err := e.ledger.openJob(e.restoredSpec(load, xs, rets, p)); err != nil {
		return true, nil //nolint:nilerr // published again meanwhile: its account is open
	}
	defer e.ledger.restored(jid)
	states := map[string]jobevent.NodeState{}
	for _, x := range xs {
		if s := jobevent.NodeState(x.State); s.Failed() {
			states[x.Node] = s
		}
		if x.Node != "" && hasExpectation(x) {
			e.ledger.expect(jid, Expectation{Path: x.Node, Minions: x.Minions, Partial: e.partial(ctx, x)})
		}
	}
	for _, x := range xs { // after all expectations: another node may have the minion
		gone := map[string]jobevent.Absence{}
		for id, why := range x.Missing {
			gone[id] = jobevent.Absence{Reason: why, Path: x.Node}
		}
		e.ledger.reportGone(jid, "", gone, nil)
	}
	e.ledger.reportGone(jid, "", nil, states)
	return true, nil
}

// restoredSpec returns the job as it was opened: its own minions from their stored expectation,
// the current nodes and the stored returns.
func (e *Engine) restoredSpec(load returners.Load, xs []returners.Expectation, rets []returners.Outcome, p Presence) Job {
	answered := func(id string) bool { // rets is sorted by id
		_, ok := slices.BinarySearchFunc(rets, id, func(r returners.Outcome, id string) int { return strings.Compare(r.ID, id) })
		return ok
	}
	var own []string
	for _, x := range xs {
		if x.Node == "" {
			own = append(own, slices.DeleteFunc(slices.Clone(x.Minions), answered)...)
			own = append(own, redelivered(x, answered, p)...)
		}
	}
	slices.Sort(own)
	own = slices.Compact(own)
	spec := p.Spec(load, own)
	spec.Part = load.Part()
	spec.Unclaimed = e.unclaimed(spec.Unclaimed, xs, answered)
	spec.Restoring, spec.Answers = true, make([]Answer, len(rets))
	for i, r := range rets {
		spec.Answers[i] = Answer{ID: r.ID, Path: r.Via, OK: r.OK}
	}
	return spec
}

// redelivered returns the direct minions that were away and may have received the job since: which of
// them did is not stored. Each that is still away after its grace is missing again.
func redelivered(x returners.Expectation, answered func(id string) bool, p Presence) (ids []string) {
	for id, why := range x.Missing {
		if why != NotConnected && why != Queued || answered(id) {
			continue
		}
		//mutant:engine-redelivered-are-waited-for
		if live, _ := p.Grace(id); live == Away || live == Up {
			ids = append(ids, id)
		}
	}
	return ids
}

// unclaimed returns the named ids that no node has reported. With a master above, that master
// finds out.
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

// unmark drops the open mark of an unknown job.
func (e *Engine) unmark(jid string) {
	e.change(func() {
		delete(e.open, jid)
		e.records.put(record{notes: []returners.Note{{Kind: returners.NoteOpen, JID: jid, Gone: true}}})
	})
}

// EndAgain ends a closed job again after records of it were dropped. It requeues everything this
// node found; reports of other nodes are repeated by their senders.
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
	case a.Open(): // its end follows
		return nil
	}
	for path, s := range a.Nodes {
		if !s.Failed() {
			delete(a.Nodes, path)
		}
	}
	e.change(func() {
		since := e.records.losses
		e.records.note(absenceRows(jid, a.Missing, a.Nodes, e.cfg.Now())...)
		e.records.put(record{end: jid, since: since})
	})
	return nil
}
