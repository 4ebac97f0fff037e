package minion

import (
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// decline answers a job that is not taken, though it is meant for this minion or may
// be: the master sees us connected and would wait for ever. A job that this minion has
// worked on is not answered: the return of the true one must stand. What could not be
// read at all may be fetched, as if it had been missed.
func (l *link) decline(p wire.Publication, why error) {
	if p.JID == "" {
		l.behind()
		return
	}
	if jid.Usable(p.JID) != nil || !l.m.cfg.PubRet || l.m.recent.has(p.JID) || l.m.tops != nil && l.m.tops.seen.has(p.JID) {
		return
	}
	meant, err := l.m.matches(l, p)
	if err == nil && !meant || err != nil && !l.ours.Load() { // a master of Salt's knows by itself whom it meant
		return
	}
	var full wire.Raw
	full, err = l.m.encoder.Return(l.m.encoder.Bare(p), delivery.Failure(p, fmt.Sprintf("ERROR: %s does not take the job: %v", l.m.cfg.ID, why)))
	if err == nil {
		err = l.outbox.Push(p.JID, full)
	}
	if err != nil {
		l.log.Error("the job will wait for this minion in vain", "jid", p.JID, "error", err)
	}
}
