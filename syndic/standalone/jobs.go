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

// loadOf makes the load of a job from its `new` event, in the order in which Salt's
// masters keep it.
func loadOf(n jobevent.New) (wire.Raw, error) {
	return wire.Encode(wire.NewMap("cmd", "publish", "tgt", n.Tgt, "fun", n.Fun, "arg", n.Arg,
		"tgt_type", n.TgtType, "ret", "", "jid", n.JID, "user", n.User, "Minions", n.Minions))
}

// maxJobs bounds how many open jobs are remembered; the oldest are forgotten.
const maxJobs = 4096

// jobs are the open jobs of the master, as far as its events tell.
type jobs struct {
	whole bool // the master knows all who have to answer

	mu    sync.Mutex
	byJID *lru.Guarded[string, *job]
}

type job struct {
	expectation jobevent.Expectation
	at          time.Time // when it was said
	waiting     map[string]struct{}
}

func newJobs(whole bool) *jobs {
	return &jobs{whole: whole, byJID: lru.NewGuarded[string, *job](maxJobs, nil)}
}

// expect opens a job and gives its event as the masters above are told it: with
// our addition where this master's word is the whole truth.
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

// learn opens a job by its `new` event, or adds minions to it, and gives the expectation
// for the masters above. A master of Salt 3008 names the minions there alone, and fires
// one such event for each slice of a batch. ok: the event adds something; that of 3006
// follows an expectation which says the same.
func (js *jobs) learn(n jobevent.New, at time.Time) (x jobevent.Expectation, ok bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	x = jobevent.Expectation{JID: n.JID, Minions: n.Minions, Ours: js.whole, Untracked: js.whole}
	if j, known := js.byJID.Peek(n.JID); known {
		said := make(map[string]bool, len(j.expectation.Minions))
		for _, id := range j.expectation.Minions {
			said[id] = true
		}
		more := slices.DeleteFunc(slices.Clone(n.Minions), func(id string) bool { return said[id] })
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

// open remembers a job until all minions have returned. js.mu is held.
func (js *jobs) open(x jobevent.Expectation, at time.Time) {
	if len(x.Minions) == 0 {
		return // told once, and complete
	}
	j := &job{expectation: x, at: at, waiting: map[string]struct{}{}}
	for _, id := range x.Minions {
		j.waiting[id] = struct{}{}
	}
	js.byJID.Add(x.JID, j)
}

// returned tells whether this was the last one a job waited for.
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

// story tells who has to answer a job, in events of at most n minions each.
func (js *jobs) story(jid string, n int) iter.Seq[bus.Event] {
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

// jids lists the open jobs.
func (js *jobs) jids() []string {
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.byJID.Keys()
}
