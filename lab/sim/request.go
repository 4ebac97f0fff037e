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

// patienceMin and patienceMax bound the wait for an answer.
const (
	patienceMin = 5 * time.Second
	patienceMax = time.Minute
)

// undelivered is a request that did not get through to a life of the parent.
type undelivered struct {
	life   uint32
	handle handler
}

// deliverLate has what a cut has kept come to the parent after all, in any order: the
// system goes on trying, although the child has given it up. Nobody waits for an
// answer.
func (l *link) deliverLate() {
	p := l.parent
	for _, u := range l.late {
		l.w.after(l.w.rng.Int64N(int64(lateWithin)), func() {
			if p.alive && p.life == u.life {
				l.w.trace(p, "is told late by %s", l.child.id)
				u.handle(func(wire.Raw, error) {})
				p.told()
			}
		})
	}
	l.late = nil
}

// lateWithin is how long after a cut the system may try once more.
const lateWithin = 5 * time.Second

// handler serves a request and answers it, at once or later.
type handler func(answer func(wire.Raw, error))

// request carries a load up and the answer down. What is lost on either way ends
// in errSilence; what a cut has held up may come late, but for greetings: they are
// about a connection that is gone by then. The transport may send the same bytes
// once more.
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
	if a == askWords { // returns are stored once by themselves, and an announcement may come twice
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

// repeatWithin is how long after a request the same bytes may come again.
const repeatWithin = 3 * time.Second

// dieAfter is how long after a repeat a node dies whose disk is about to fail: long
// enough for an answer to have gone.
const dieAfter = 100 * time.Millisecond

// carry is one attempt of the transport.
func (l *link) carry(a act, bytes, work int64, nonce string, handle handler, finish func(wire.Raw, error)) {
	w, c, p := l.w, l.child, l.parent
	p.count(up, bytes)
	epoch, life := l.epoch, p.life
	if w.lost() {
		return
	}
	serve := func(answer func(wire.Raw, error)) { p.once(c.id, nonce, handle, answer) }
	c.do(a, func() {
		w.after(l.arrival(up, 0), func() {
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

// answerTo carries the answer of the parent down.
func (l *link) answerTo(epoch int, finish func(wire.Raw, error), v wire.Raw, err error) {
	w, c, p := l.w, l.child, l.parent
	switch {
	case errors.Is(err, jobstore.ErrOutboxFull) && !w.o.sabotage.fullFails,
		errors.Is(err, returners.ErrUnavailable), errors.Is(err, channel.ErrNotNow):
		v, err = nil, channel.ErrNotNow
	case errors.Is(err, channel.ErrRefused):
		v = nil
	case err != nil:
		v, err = wire.Raw{0xa0}, nil // the empty text: the handler failed
	}
	p.count(down, ackBytes)
	if w.lost() {
		return
	}
	p.do(answerParent, func() {
		w.after(l.arrival(down, 0), func() {
			if !l.standing || l.epoch != epoch || l.cut[down] || !c.alive {
				return
			}
			w.trace(nil, "answer of %s to %s", p.id, c.id)
			l.patience = 0
			finish(v, err)
			c.told()
		})
	})
}

// once serves a request whose bytes have not come before. A repeat is answered like the
// first, and not before it.
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
