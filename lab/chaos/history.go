//go:build linux

package chaos

import (
	"context"
	"slices"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/topology"
)

// history is what a world has gone through, as far as it excuses anybody.
type history struct {
	hits  []hit
	looks map[string][]look // top → what it saw, in the order of time
}

// hit is a fault at the time when it was really there.
type hit struct {
	Fault
	from, to time.Time // to is zero as long as it lasts
}

// look is where a top saw minions.
type look struct {
	at time.Time
	// places are the paths of the nodes at which a minion was up, sorted. A minion that
	// is up nowhere has none.
	places map[string][]string
}

// memory is how long before a round something may have happened that counts in it.
const memory = 3 * time.Minute

// suffer notes that a fault begins, and gives what notes its end.
func (w *World) suffer(f Fault) (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := &hit{Fault: f, from: time.Now()}
	w.hits = append(w.hits, h)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		h.to = time.Now()
	}
}

// history gives what has happened until now.
func (w *World) history() *history {
	out := &history{looks: map[string][]look{}}
	w.mu.Lock()
	for _, h := range w.hits {
		out.hits = append(out.hits, *h)
	}
	var boxes []full
	for _, id := range nodes() {
		boxes = append(boxes, w.boxes[id].all()...)
	}
	w.mu.Unlock()
	out.hits = append(out.hits, explain(out.hits, boxes)...)
	for _, id := range tops() {
		t := w.tops[id]
		t.mu.Lock()
		out.looks[id] = slices.Clone(t.looks)
		t.mu.Unlock()
	}
	return out
}

// guests tells whether a top saw a minion elsewhere than at home when it looked last.
func (s *history) guests() bool {
	for _, looks := range s.looks {
		if len(looks) == 0 {
			continue
		}
		for id, places := range looks[len(looks)-1].places {
			if !slices.Contains(minions(), id) || !slices.Equal(places, []string{homeOf(id)}) {
				return true
			}
		}
	}
	return false
}

// rest waits until no fault of the past excuses anybody any longer.
func (w *World) rest(ctx context.Context) {
	for _, h := range w.history().hits {
		if h.What == Full { // what explains it is among them
			continue
		}
		if h.to.IsZero() { // of a daemon that is about to be started again
			h.to = time.Now()
		}
		_ = timing.Sleep(ctx, time.Until(h.to.Add(calm+moment)))
	}
}

// forget drops what was heard of jobs, and what was over before a time.
func (w *World) forget(before time.Time) {
	w.mu.Lock()
	w.hits = slices.DeleteFunc(w.hits, func(h *hit) bool { return !h.to.IsZero() && h.to.Before(before) })
	for _, f := range w.boxes {
		f.past = slices.DeleteFunc(f.past, func(b full) bool { return b.to.Before(before) })
	}
	w.mu.Unlock()
	for _, id := range tops() {
		w.tops[id].forget(before)
	}
}

// lookAround asks twice a second where minions are, through all lives of the master.
func (t *top) lookAround(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		n, err := t.tree(ctx)
		// What took long may have been true long ago.
		if now := time.Now(); err == nil && now.Sub(asked) < time.Second {
			t.mu.Lock()
			t.looks = append(t.looks, look{now, placesOf(n)})
			t.mu.Unlock()
		}
		_ = timing.Sleep(ctx, 500*time.Millisecond)
	}
}

// placesOf reads from a tree where minions are. Behind a node that is not up nobody is.
func placesOf(n topology.Node) map[string][]string {
	out := map[string][]string{}
	var walk func(path string, n topology.Node)
	walk = func(path string, n topology.Node) {
		for _, m := range n.Minions {
			if m.State == topology.Up {
				out[m.ID] = append(out[m.ID], path)
			}
		}
		for _, c := range n.Nodes {
			below := c.ID
			if path != "" {
				below = path + "/" + c.ID
			}
			if c.State == topology.Up {
				walk(below, c)
			}
		}
	}
	walk("", n)
	for _, paths := range out {
		slices.Sort(paths)
	}
	return out
}
