package sim

import (
	"time"

	"github.com/momtree/mom/master/engine"
)

// kind is the kind of an event. Events of minions are counted in millions, so they carry
// numbers; all others carry a function.
type kind uint8

const (
	call    kind = iota // run fn
	alarm               // run fn, a timer of the ledger of node
	deliver             // a publication reaches a minion
	ran                 // a minion has run a job
	arrive              // a minion's return reaches the node
)

// event is something that happens at a point in virtual time.
type event struct {
	at   int64 // since the start, ns
	seq  uint64
	fn   func()
	kind kind
	node int32
	life uint32 // of the node; events of an earlier life are ignored
	min  int32  // minion, counted within the node
	job  int32
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue is a heap with four children per event: it moves fewer events than a binary one.
type queue []event

func (q *queue) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(h[p]) {
			break
		}
		h[i], i = h[p], p
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() event {
	h := *q
	first, last := h[0], h[len(h)-1]
	h[len(h)-1] = event{}
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		c, best := 4*i+1, -1
		for k := c; k < min(c+4, len(h)); k++ {
			if best < 0 || h[k].before(h[best]) {
				best = k
			}
		}
		if best < 0 || !h[best].before(last) {
			break
		}
		h[i], i = h[best], best
	}
	h[i] = last
	return first
}

// start is the time at which every simulation begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (w *World) clock() time.Time { return start.Add(time.Duration(w.now)) }

func (w *World) schedule(e event, after int64) {
	w.seq++
	e.at, e.seq = w.now+max(after, 0), w.seq
	w.queue.push(e)
}

// after calls fn in d nanoseconds, even if nodes die meanwhile.
func (w *World) after(d int64, fn func()) { w.schedule(event{fn: fn, node: -1}, d) }

// after calls fn in d nanoseconds unless the node has died meanwhile.
func (n *node) after(d int64, fn func()) {
	n.w.schedule(event{fn: fn, node: n.idx, life: n.life}, d)
}

// clock is the clock of a ledger during one life of its node.
type clock struct {
	n    *node
	life uint32
}

func (c clock) Now() time.Time { return c.n.w.clock() }

func (c clock) AfterFunc(d time.Duration, f func()) engine.Timer {
	t := &timer{c: c, f: f}
	t.set(d)
	return t
}

// timer is a timer of the ledger. Stop and Reset leave its event in the queue; the generation
// makes that event void.
type timer struct {
	c     clock
	f     func()
	gen   int
	armed bool
}

func (t *timer) set(d time.Duration) {
	t.gen++
	gen := t.gen
	t.armed = true
	t.c.n.w.schedule(event{kind: alarm, node: t.c.n.idx, life: t.c.life, fn: func() {
		if t.armed && t.gen == gen {
			t.armed = false
			t.f()
		}
	}}, int64(d))
}

// Stop prevents the call.
func (t *timer) Stop() bool {
	was := t.armed
	t.armed = false
	return was
}

// Reset makes the call happen d from now.
func (t *timer) Reset(d time.Duration) bool {
	was := t.armed
	t.set(d)
	return was
}
