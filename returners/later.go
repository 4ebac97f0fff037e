package returners

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/momtree/mom/internal/logthrottle"
)

// laterPause is how long notes that could not be stored wait for another submission
// before they are tried again by themselves.
const laterPause = 5 * time.Second

// Later has notes stored soon and does not wait for that: they share the next commit, in
// the order of the calls, or have one that is not synced ([Batch.Unsynced]). What a full
// or absent disk does not take is tried again with what others commit, and now and then,
// until the group ends. Beyond MaxPending notes the oldest are let go, and told.
func (g *Group) Later(notes ...Note) {
	b := Batch{Notes: notes, Unsynced: true}
	if len(notes) == 0 {
		return
	}
	if err := b.Validate(); err != nil {
		g.lost(len(notes), err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		g.lost(len(notes), ErrClosed)
		return
	}
	g.queue = append(g.queue, &submission{b: b, rows: len(notes), bytes: b.Bytes(), later: true})
	g.later += len(notes)
	for g.later > g.cfg.MaxPending {
		i := slices.IndexFunc(g.queue, func(s *submission) bool { return s.later })
		g.lost(g.queue[i].rows, errors.New("too many wait for the disk"))
		g.later -= g.queue[i].rows
		g.queue = slices.Delete(g.queue, i, i+1)
	}
	if g.rests {
		return
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

func laterRows(subs []*submission) (n int) {
	for _, s := range subs {
		if s.later {
			n += s.rows
		}
	}
	return n
}

// wait waits for a submission, or until what could not be stored is to be tried again.
func (g *Group) wait() {
	var again <-chan time.Time
	g.mu.Lock()
	if g.rests {
		again = time.After(laterPause)
	}
	g.mu.Unlock()
	select {
	case <-g.wake:
	case <-again:
		g.mu.Lock()
		g.rests = false
		g.mu.Unlock()
	}
}

// keep puts submissions back that nobody waits for.
func (g *Group) keep(again []*submission) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(again) == 0 {
		return
	}
	if g.closed {
		g.lost(laterRows(again), ErrClosed)
		return
	}
	g.rests = !slices.ContainsFunc(g.queue, func(s *submission) bool { return !s.later })
	g.queue = append(again, g.queue...)
	g.later += laterRows(again)
}

// mayPass tells whether what failed may be stored another time, and logs it if not.
func (g *Group) mayPass(s *submission, err error) bool {
	passes := errors.Is(err, ErrFull) || errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
	if !passes {
		g.lost(s.rows, err)
	}
	return passes
}

func (g *Group) lost(notes int, err error) {
	if n := g.losses.Note(logthrottle.Cause(err), g.cfg.Now()); n > 0 {
		g.cfg.Log.Error("Notes about jobs could not be stored; after a restart some jobs may be looked at again", "notes", notes, "count", n, "error", err)
	}
}
