package standalone

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

// loadOf returns the load of a job from its `new` event, with the fields in the order of Salt's
// masters.
func loadOf(n jobevent.New) (wire.Raw, error) {
	return wire.Encode(wire.NewMap("cmd", "publish", "tgt", n.Tgt, "fun", n.Fun, "arg", n.Arg,
		"tgt_type", n.TgtType, "ret", "", "jid", n.JID, "user", n.User, "Minions", n.Minions))
}

// maxJobs bounds the open jobs remembered; the oldest are forgotten.
const maxJobs = 4096

// jobs tracks the master's open jobs, as far as its events show them.
type jobs struct {
	whole bool // the master's expectations are complete

	mu    sync.Mutex
	byJID *lru.Guarded[string, *job]
}

type job struct {
	expectation jobevent.Expectation
	at          time.Time // time of the expectation
	waiting     map[string]struct{}
}

func newJobs(whole bool) *jobs {
	return &jobs{whole: whole, byJID: lru.NewGuarded[string, *job](maxJobs, nil)}
}

// expect opens a job and returns its event for the parents, marked as complete if this master's
// expectations are.
func (js *jobs) expect(jid string, e bus.Event) (wire.Raw, error) {
	x, err := jobevent.DecodeExpectation(jid, e.Data)
	if err != nil {
		return nil, fmt.Errorf("expectation: %w", err)
	}
	if js.whole && !x.Ours {
		x.Ours, x.Untracked = true, true
		_, e.Data = x.Encode()
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	js.open(x, e.Stamp)
	return e.Data, nil
}

// learn opens a job by its `new` event, or adds minions to it, and returns the expectation for the
// parents. A Salt 3008 master names the minions only there, in one event for each slice of a batch.
// ok is false if the event adds nothing; that of 3006 follows an equal expectation.
func (js *jobs) learn(n jobevent.New, at time.Time) (x jobevent.Expectation, ok bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	x = jobevent.Expectation{JID: n.JID, Minions: n.Minions, Ours: js.whole, Untracked: js.whole}
	if j, known := js.byJID.Peek(n.JID); known {
		have := make(map[string]bool, len(j.expectation.Minions))
		for _, id := range j.expectation.Minions {
			have[id] = true
		}
		more := slices.DeleteFunc(slices.Clone(n.Minions), func(id string) bool { return have[id] })
		if len(more) == 0 {
			return x, false
		}
		j.expectation.Minions = slices.Concat(j.expectation.Minions, more)
		for _, id := range more {
			j.waiting[id] = struct{}{}
		}
		return j.expectation, true
	}
	js.open(x, at)
	return x, true
}

// open tracks a job until all minions have returned. js.mu is held.
func (js *jobs) open(x jobevent.Expectation, at time.Time) {
	if len(x.Minions) == 0 {
		return // complete at once
	}
	j := &job{expectation: x, at: at, waiting: map[string]struct{}{}}
	for _, id := range x.Minions {
		j.waiting[id] = struct{}{}
	}
	js.byJID.Add(x.JID, j)
}

// returned removes a minion from a job, and reports whether the job waited for no other.
func (js *jobs) returned(jid, id string) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	j, ok := js.byJID.Peek(jid)
	if !ok {
		return false
	}
	delete(j.waiting, id)
	if len(j.waiting) > 0 {
		return false
	}
	js.byJID.Remove(jid)
	return true
}

// reports returns the expectation of a job in events of at most n minions each.
func (js *jobs) reports(jid string, n int) iter.Seq[bus.Event] {
	return func(yield func(bus.Event) bool) {
		js.mu.Lock()
		j, ok := js.byJID.Peek(jid)
		js.mu.Unlock()
		if !ok {
			return
		}
		for piece := range j.expectation.Pieces(n) {
			tag, data := piece.Encode()
			if !yield(bus.Event{Tag: tag, Data: data, Value: piece, Stamp: j.at}) {
				return
			}
		}
	}
}

// jids returns the open jobs.
func (js *jobs) jids() []string {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.byJID.Keys()
}
