package jobs

import (
	"context"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/returners"
)

// Adopt makes this node answer for a job that a minion is at work on which has come
// here, or has come back, and tells the masters above that it is here now.
func (e *Engine) Adopt(ctx context.Context, jid, id string) error {
	known := e.ledger.Knows(jid)
	fresh := e.ledger.Adopt(ledger.Job{JID: jid, Timeout: e.cfg.Timeout}, id)
	// Of one that is back and was waited for all the time, the masters above may have
	// heard that it is elsewhere.
	if !fresh && !e.ledger.Owes(jid, id) {
		return nil
	}
	e.change(func() {
		e.open[jid] = struct{}{}
		e.words.put(entry{
			x:     returners.Expectation{JID: jid, Minions: []string{id}, At: e.cfg.Now(), State: returners.StateAdopted},
			notes: []returners.Note{{Kind: returners.NoteOpen, JID: jid}},
		})
		e.effects = append(e.effects, Tell{Word: jobevent.Expectation{
			JID: jid, Ours: true, Minions: []string{id}, Asked: []string{}, Unreachable: map[string]string{}, Moved: true,
		}})
	})
	if known {
		return nil
	}
	// Its return may be here: its acknowledgement did not reach the minion, or not yet.
	return e.CountStored(ctx, jid)
}

// adoptAgain takes up a job of an earlier life that is known by minions alone that came
// at work on it. lease tells how long one that is not connected has to come back.
func (e *Engine) adoptAgain(ctx context.Context, jid string, xs []returners.Expectation, p Presence) (known bool, err error) {
	for _, x := range xs {
		if x.Node != "" {
			continue
		}
		for _, id := range x.Minions {
			if _, gone := x.Missing[id]; gone || !e.ledger.Adopt(ledger.Job{JID: jid, Timeout: e.cfg.Timeout}, id) {
				continue
			}
			known = true
			if live, grace := p.Grace(id); live != ledger.Up {
				e.ledger.Lease(jid, id, grace)
			}
		}
	}
	return known, e.CountStored(ctx, jid)
}
