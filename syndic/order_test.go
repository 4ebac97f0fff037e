package syndic

import (
	"math"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// orderedParent is a mom master that records the marks of reports, [number, oldest] each.
type orderedParent struct {
	*fakeParent

	mu    sync.Mutex
	marks [][2]uint64
	bare  int // reports without a mark
}

// startOrderedParent answers the i-th request with reports by answer.
func startOrderedParent(t *testing.T, ours bool, answer func(p *orderedParent, i int) any) *orderedParent {
	t.Helper()
	p := &orderedParent{fakeParent: startParent(t, channeltest.Rules{})}
	p.Change(func(r *channeltest.Rules) {
		if ours {
			r.Handle["_presence"] = func(string, *wire.Map) any { return wire.NewMap("session", true, "node", "top") }
		}
		r.Handle["_minion_event"] = func(id string, load *wire.Map) any {
			if len(load.List("events")) == 0 { // an announcement
				return p.hear(id, load)
			}
			p.mu.Lock()
			i := len(p.marks) + p.bare
			if m := load.List("order"); m == nil {
				p.bare++
			} else {
				p.marks = append(p.marks, [2]uint64{uint64(m[0].(int64)), uint64(m[1].(int64))})
			}
			p.mu.Unlock()
			if v := answer(p, i); v != nil {
				return v
			}
			return p.hear(id, load)
		}
	})
	return p
}

func (p *orderedParent) seen() (marks [][2]uint64, bare int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.marks, p.bare
}

// A report sent again after a timeout marks the first request as given up.
func TestOrder_RetryGivesUpTheFirst(t *testing.T) {
	let := make(chan struct{})
	p := startOrderedParent(t, true, func(_ *orderedParent, i int) any {
		if i == 0 {
			<-let
		}
		return nil
	})
	n := start(t, never, p.fakeParent)
	t.Cleanup(func() { close(let) }) // before the forwarder and the parent end
	n.local.fire(t, job(1), wire.NewMap("minions", []any{"web-1"}, "jid", job(1)))
	waiting.Until(t, "the words of the job", func() bool { return p.heard(job(1)) == 1 })
	marks, bare := p.seen()
	if len(marks) != 2 || bare != 0 || marks[1][1] <= marks[0][0] || marks[1][0] < marks[1][1] {
		t.Errorf("marks %v, %d without", marks, bare)
	}
}

// Of two requests in flight neither is marked as given up, whichever ends first.
func TestOrder_InFlightIsNotGivenUp(t *testing.T) {
	both := make(chan struct{})
	p := startOrderedParent(t, true, func(p *orderedParent, i int) any {
		if i == 1 {
			close(both)
		}
		<-both
		return nil
	})
	n := plant(t, never, p.fakeParent)
	n.pace.Answer = patience
	n.run(t)
	n.awaitUp(t)
	n.local.fire(t, job(1), wire.NewMap("minions", []any{}, "jid", job(1)))
	waiting.Until(t, "the first request", func() bool { marks, _ := p.seen(); return len(marks) == 1 })
	n.local.fire(t, job(2), wire.NewMap("minions", []any{}, "jid", job(2)))
	waiting.Until(t, "the words of both jobs", func() bool { return p.heard(job(1)) == 1 && p.heard(job(2)) == 1 })
	if marks, _ := p.seen(); len(marks) != 2 || marks[1][1] != marks[0][0] {
		t.Errorf("marks %v", marks)
	}
}

// A node whose clock was set back, and whose counter file is lost, continues after the highest
// number the parent knows.
func TestOrder_ContinuesAfterClockSetBack(t *testing.T) {
	const reached = uint64(math.MaxInt64 / 2)
	p := startOrderedParent(t, true, func(_ *orderedParent, i int) any {
		if i == 0 {
			return wire.NewMap("late", reached)
		}
		return nil
	})
	n := start(t, never, p.fakeParent)
	n.local.fire(t, job(1), wire.NewMap("minions", []any{"web-1"}, "jid", job(1)))
	waiting.Until(t, "the words of the job", func() bool { return p.heard(job(1)) == 1 })
	if marks, _ := p.seen(); len(marks) != 2 || marks[0][0] > reached || marks[1][1] <= reached {
		t.Errorf("marks %v", marks)
	}
}

// Normal events, and requests to a Python master, are not numbered.
func TestOrder_OnlyForMomParents(t *testing.T) {
	for name, c := range map[string]struct {
		ours bool
		tag  string
	}{"event": {true, "my/event"}, "to a Python master": {false, job(1)}} {
		t.Run(name, func(t *testing.T) {
			p := startOrderedParent(t, c.ours, func(*orderedParent, int) any { return nil })
			n := start(t, nil, p.fakeParent)
			n.local.fire(t, c.tag, wire.NewMap("minions", []any{}, "jid", job(1)))
			waiting.Until(t, "the event", func() bool { return p.heard(c.tag) == 1 })
			if marks, bare := p.seen(); len(marks) != 0 || bare != 1 {
				t.Errorf("marks %v, %d without", marks, bare)
			}
		})
	}
}
