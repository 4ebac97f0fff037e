package engine

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// arrivals are minions that came at work on one job, which is not stored as yet. What is
// told of the job meanwhile waits, in its order: a master above that waits for a minion
// here of which a restart knows nothing waits without end.
type arrivals struct {
	ids     map[string]int // by minion: how many words on it are to be stored
	effects []Effect
}

// Adopt makes this node answer for a job that a minion is at work on which has come
// here, or has come back, and tells the masters above that it is here now once that is
// stored.
func (e *Engine) Adopt(ctx context.Context, jid, id string) error {
	known := e.ledger.knows(jid)
	fresh := e.ledger.adopt(Job{JID: jid, Timeout: e.cfg.Timeout}, id)
	// Of one that is back and was waited for all the time, the masters above may have
	// heard that it is elsewhere.
	//mutant:engine-adopt-again
	if !fresh && !e.ledger.Owes(jid, id) {
		return nil
	}
	e.change(func() { e.arrive(jid, id, fresh) })
	if known {
		return nil
	}
	// Its return may be here: its acknowledgement did not reach the minion, or not yet.
	//mutant:engine-brought-returns
	return e.CountStored(ctx, jid)
}

// arrive has stored that a minion came at work on a job, and told then. e.mu is held.
func (e *Engine) arrive(jid, id string, fresh bool) {
	a := e.coming[jid]
	if a == nil {
		a = &arrivals{ids: map[string]int{}}
		e.coming[jid] = a
	}
	if fresh && e.words.withdraw(jid, id) { // it goes behind what was said of the minion since
		a.ids[id]--
	}
	if fresh || a.ids[id] == 0 {
		a.ids[id]++
		e.open[jid] = struct{}{}
		e.words.put(record{
			x:     returners.Expectation{JID: jid, Minions: []string{id}, At: e.cfg.Now(), State: returners.StateAdopted},
			notes: []returners.Note{{Kind: returners.NoteOpen, JID: jid}}, opens: jid, came: id,
		})
	}
	// Once is enough, and behind what was said of it elsewhere.
	a.effects = slices.DeleteFunc(a.effects, func(x Effect) bool { return cameHere(x, id) })
	//mutant:engine-arrivals-wait
	a.effects = append(a.effects, Tell{Word: jobevent.Expectation{
		JID: jid, Ours: true, Minions: []string{id}, Asked: []string{}, Unreachable: map[string]string{}, Moved: true,
	}})
}

// cameHere tells whether an effect tells that a minion came here.
func cameHere(e Effect, id string) bool {
	t, ok := e.(Tell)
	if !ok || t.From != "" {
		return false
	}
	x, ok := t.Word.(jobevent.Expectation)
	return ok && x.Moved && slices.Contains(x.Minions, id)
}

// tell gives effects of a job out, in their order: behind those that wait for a commit.
// e.mu is held.
func (e *Engine) tell(jid string, es ...Effect) {
	if a := e.coming[jid]; a != nil {
		a.effects = append(a.effects, es...)
		return
	}
	e.effects = append(e.effects, es...)
}

// settled ends the wait for an arrival that is stored, or never can be. e.mu is held.
func (e *Engine) settled(en record) {
	a := e.coming[en.opens]
	if en.came == "" || a == nil {
		return
	}
	if a.ids[en.came]--; a.ids[en.came] == 0 {
		delete(a.ids, en.came)
	}
	if len(a.ids) == 0 {
		delete(e.coming, en.opens)
		e.effects = append(e.effects, a.effects...)
	}
}

// unsettled lets go of what waits for arrivals and is said again by whoever hears that
// it is not stored: a disk may take nothing for long. e.mu is held.
func (e *Engine) unsettled() {
	for _, a := range e.coming {
		a.effects = slices.DeleteFunc(a.effects, func(x Effect) bool {
			t, ok := x.(Tell)
			return ok && t.From != ""
		})
	}
}

// adoptAgain takes up a job of an earlier life that is known by minions alone that came
// at work on it. How long one that is not connected has to come back, p tells. If all are
// stored as missing, the earlier life has died before it stored the end.
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
		e.change(func() { e.words.end(jid, false) })
	}
	return known || over, e.CountStored(ctx, jid)
}
