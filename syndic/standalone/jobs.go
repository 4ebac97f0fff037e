package standalone

import (
	"fmt"
	"iter"
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
	j := &job{expectation: x, at: e.Stamp, waiting: map[string]struct{}{}}
	for _, id := range x.Minions {
		j.waiting[id] = struct{}{}
	}
	if len(j.waiting) == 0 {
		return e.Data, nil // told once, and complete
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	js.byJID.Add(jid, j)
	return e.Data, nil
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
			if !yield(bus.Event{Tag: tag, Data: data, Stamp: j.at}) {
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
