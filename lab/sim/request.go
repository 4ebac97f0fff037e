package sim

import (
	"errors"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// patienceMin and patienceMax bound how long a child waits for an answer.
const (
	patienceMin = 5 * time.Second
	patienceMax = time.Minute
)

// undelivered is a request that a cut held up. It is valid for one life of the parent.
type undelivered struct {
	life   uint32
	handle handler
}

// deliverLate delivers the requests that a cut held up, in any order: the operating system keeps
// sending although the child has given up. Their answers go nowhere.
func (l *link) deliverLate() {
	p := l.parent
	for _, u := range l.late {
		l.w.after(l.w.rng.Int64N(int64(lateWithin)), func() {
			if p.alive && p.life == u.life {
				l.w.trace(p, "receives a late request of %s", l.child.id)
				u.handle(func(wire.Raw, error) {})
				p.runEffects()
			}
		})
	}
	l.late = nil
}

// lateWithin is how long after a cut such a request may still arrive.
const lateWithin = 5 * time.Second

// handler serves a request and answers it, at once or later.
type handler func(answer func(wire.Raw, error))

// request sends a load up and the answer down. If either is lost, done gets errSilence. A request
// held up by a cut may arrive late, except a greeting: its connection is gone by then. The
// transport may send the same bytes twice.
func (l *link) request(a act, bytes, work int64, handle handler, done func(wire.Raw, error)) {
	w, c := l.w, l.child
	allowed := max(l.patience, patienceMin)
	open := true
	finish := func(v wire.Raw, err error) {
		if open {
			open = false
			done(v, err)
		}
	}
	c.after(int64(allowed), func() {
		if open {
			l.patience = min(2*allowed, patienceMax)
			finish(nil, errSilence)
		}
	})
	w.requests++
	nonce := ""
	if a == askReports { // returns are deduplicated by the store, and a greeting may be repeated
		nonce = strconv.FormatUint(w.requests, 10)
	}
	attempt := func() { l.carry(a, bytes, work, nonce, handle, func(v wire.Raw, err error) { finish(v, err) }) }
	if share := w.o.Faults.Repeat; share > 0 && w.rng.Float64() < share {
		c.after(w.rng.Int64N(int64(repeatWithin)), func() {
			if open {
				attempt()
			}
		})
	}
	attempt()
}

// repeatWithin is how long after a request its repetition may be sent.
const repeatWithin = 3 * time.Second

// dieAfter is the time from a repeated request to the death of a node whose disk is about to fail:
// long enough to send an answer.
const dieAfter = 100 * time.Millisecond

// carry plays one attempt of the transport.
func (l *link) carry(a act, bytes, work int64, nonce string, handle handler, finish func(wire.Raw, error)) {
	w, c, p := l.w, l.child, l.parent
	p.count(up, bytes)
	epoch, life := l.epoch, p.life
	if w.lost() {
		return
	}
	serve := func(answer func(wire.Raw, error)) { p.once(c.id, nonce, handle, answer) }
	c.do(a, func() {
		w.after(l.arrival(up, 0, bytes), func() {
			if l.cut[up] && l.greeted {
				l.late = append(l.late, undelivered{life, serve})
			}
			if !l.standing || l.epoch != epoch || l.cut[up] || !p.alive {
				return
			}
			p.after(p.spend(work), func() {
				serve(func(v wire.Raw, err error) {
					l.answerTo(epoch, finish, v, err)
				})
			})
		})
	})
}

// answerTo sends the parent's answer down.
func (l *link) answerTo(epoch int, finish func(wire.Raw, error), v wire.Raw, err error) {
	w, c, p := l.w, l.child, l.parent
	switch {
	case errors.Is(err, jobstore.ErrOutboxFull) && !w.o.sabotage.fullFails,
		errors.Is(err, returners.ErrUnavailable), errors.Is(err, channel.ErrNotNow):
		v, err = nil, channel.ErrNotNow
	case errors.Is(err, channel.ErrRefused):
		v = nil
	case err != nil:
		v, err = wire.Raw{0xa0}, nil // an empty string: the handler failed
	}
	p.count(down, ackBytes)
	if w.lost() {
		return
	}
	p.do(answerParent, func() {
		w.after(l.arrival(down, 0, ackBytes), func() {
			if !l.standing || l.epoch != epoch || l.cut[down] || !c.alive {
				return
			}
			w.trace(nil, "answer from %s to %s", p.id, c.id)
			l.patience = 0
			finish(v, err)
			c.runEffects()
		})
	})
}

// once serves a request unless it is a repetition. A repetition gets the answer of the first
// request, once that has one.
func (n *node) once(id, nonce string, handle handler, answer func(wire.Raw, error)) {
	if nonce == "" {
		handle(answer)
		return
	}
	o, first := n.nonces.Enter(id, nonce)
	if !first {
		n.w.reach(markRepeated)
		if n.disk.last {
			n.disk.last = false
			n.after(int64(dieAfter), func() { n.w.kill(n, int64(time.Second)) })
		}
		if _, err, known := o.Known(); known {
			answer(wire.Raw{0xc0}, err)
		} else {
			n.w.reach(markRepeatWaits)
			n.again[o] = append(n.again[o], answer)
		}
		return
	}
	handle(func(v wire.Raw, err error) {
		n.nonces.End(o, nil, err, errNotStored)
		answer(v, err)
		for _, other := range n.again[o] {
			other(v, err)
		}
		delete(n.again, o)
	})
}
