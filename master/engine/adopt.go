package engine

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// arrivals holds the minions that arrived with a running job and are not yet stored. Other reports
// of the job wait behind them: a master above could otherwise wait forever for a minion that this
// node forgot in a restart.
type arrivals struct {
	ids     map[string]int // arrival records not yet stored, by minion
	effects []Effect
}

// Adopt makes this node wait for a minion that arrived, or came back, while it runs the job. The
// masters above learn of the move once it is stored.
func (e *Engine) Adopt(ctx context.Context, jid, id string) error {
	known := e.ledger.knows(jid)
	fresh := e.ledger.adopt(Job{JID: jid, Timeout: e.cfg.Timeout}, id)
	// A minion that is back and was pending all the time may have been reported elsewhere.
	//mutant:engine-adopt-again
	if !fresh && !e.ledger.Expects(jid, id) {
		return nil
	}
	e.change(func() { e.addArrival(jid, id, fresh) })
	if known {
		return nil
	}
	// Its return may already be stored, with the acknowledgement lost or under way.
	//mutant:engine-brought-returns
	return e.CountStored(ctx, jid)
}

// addArrival queues the record of an arrival and the report that follows it. The caller holds
// e.mu.
func (e *Engine) addArrival(jid, id string, fresh bool) {
	a := e.arriving[jid]
	if a == nil {
		a = &arrivals{ids: map[string]int{}}
		e.arriving[jid] = a
	}
	if fresh && e.records.withdraw(jid, id) { // requeue it behind later records of the minion
		a.ids[id]--
	}
	if fresh || a.ids[id] == 0 {
		a.ids[id]++
		e.open[jid] = struct{}{}
		e.records.put(record{
			row:   returners.Expectation{JID: jid, Minions: []string{id}, At: e.cfg.Now(), State: returners.StateAdopted},
			notes: []returners.Note{{Kind: returners.NoteOpen, JID: jid}}, opens: jid, arrival: id,
		})
	}
	// Replace an earlier report: the new one must follow what other nodes reported.
	a.effects = slices.DeleteFunc(a.effects, func(x Effect) bool { return isArrivalOf(x, id) })
	//mutant:engine-arrivals-wait
	a.effects = append(a.effects, SendReport{Word: jobevent.Expectation{
		JID: jid, Ours: true, Minions: []string{id}, Asked: []string{}, Unreachable: map[string]string{}, Moved: true,
	}})
}

// isArrivalOf reports whether e is this node's report that minion id arrived.
func isArrivalOf(e Effect, id string) bool {
	t, ok := e.(SendReport)
	if !ok || t.From != "" {
		return false
	}
	x, ok := t.Word.(jobevent.Expectation)
	return ok && x.Moved && slices.Contains(x.Minions, id)
}

// enqueue adds effects of a job, behind those that wait for a commit. The caller holds e.mu.
func (e *Engine) enqueue(jid string, es ...Effect) {
	if a := e.arriving[jid]; a != nil {
		a.effects = append(a.effects, es...)
		return
	}
	e.effects = append(e.effects, es...)
}

// arrivalSettled releases the effects of a job once its arrivals are stored or cannot be. The
// caller holds e.mu.
func (e *Engine) arrivalSettled(en record) {
	a := e.arriving[en.opens]
	if en.arrival == "" || a == nil {
		return
	}
	if a.ids[en.arrival]--; a.ids[en.arrival] == 0 {
		delete(a.ids, en.arrival)
	}
	if len(a.ids) == 0 {
		delete(e.arriving, en.opens)
		e.effects = append(e.effects, a.effects...)
	}
}

// dropUnacknowledged drops the waiting reports of nodes below: their senders repeat them, and the
// disk may be unavailable for long. The caller holds e.mu.
func (e *Engine) dropUnacknowledged() {
	for _, a := range e.arriving {
		a.effects = slices.DeleteFunc(a.effects, func(x Effect) bool {
			t, ok := x.(SendReport)
			return ok && t.From != ""
		})
	}
}

// adoptAgain restores a job that consists of adopted minions only. A minion that is not connected
// gets the lease from p. If all are stored as missing, the previous run stopped before it stored
// the end.
func (e *Engine) adoptAgain(ctx context.Context, jid string, xs []returners.Expectation, p Presence) (known bool, err error) {
	over := false
	for _, x := range xs {
		if x.Node != "" {
			continue
		}
		over = over || len(x.Missing) > 0
		for _, id := range x.Minions {
			if _, gone := x.Missing[id]; gone || !e.ledger.adopt(Job{JID: jid, Timeout: e.cfg.Timeout}, id) {
				continue
			}
			known = true
			if live, grace := p.Grace(id); live != Up {
				e.ledger.lease(jid, id, grace)
			}
		}
	}
	//mutant:engine-adopted-jobs-end
	if !known && over {
		e.change(func() { e.records.end(jid, false) })
	}
	return known || over, e.CountStored(ctx, jid)
}
