package jobstore

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/returners"
)

// holdsPerAge is how often within Options.Keep a busy job is held.
const holdsPerAge = 4

// cleaner removes old jobs from one store, and holds there those that must not go.
type cleaner struct {
	*Store
	from returners.Returner
	held map[string]time.Time // busy jobs: when they were held, by the clock of ages
}

func (s *Store) cleanUp(ctx context.Context) {
	cleaners := []*cleaner{{s, s.o.Local, nil}}
	unsaved := false
	for {
		s.mu.Lock()
		if s.remote != nil && len(cleaners) == 1 {
			cleaners = append(cleaners, &cleaner{s, s.remote, nil})
		}
		s.mu.Unlock()
		for _, c := range cleaners {
			if err := c.round(ctx); err != nil && ctx.Err() == nil {
				s.o.Log.Error("Old jobs could not be removed", "returner", c.from.Name(), "err", err)
			}
		}
		unsaved = s.saveAge(unsaved)
		if sleep.For(ctx, s.o.Every) != nil {
			return
		}
	}
}

// saveAge writes the clock of ages down. It says once that it cannot: a disk that takes
// no files is told elsewhere.
func (s *Store) saveAge(failed bool) bool {
	if s.o.Age == nil {
		return false
	}
	err := s.o.Age.Save()
	if err != nil && !failed {
		s.o.Log.Warn("Jobs will be kept for longer after a restart", "err", err)
	}
	return err != nil
}

// round removes what is old, unless the wall clock cannot be trusted just now.
func (c *cleaner) round(ctx context.Context) error {
	before := c.o.Now() // read before anything is held: what is held is younger
	if c.from == returners.Returner(c.o.Local) {
		before = c.now()
	}
	if err := c.hold(ctx); err != nil {
		return err
	}
	for c.o.Age == nil || c.o.Age.Steady() {
		n, err := c.step(ctx, before.Add(-c.o.Keep))
		if err != nil {
			return err
		}
		if n == 0 || sleep.For(ctx, 50*time.Millisecond) != nil {
			break
		}
	}
	return nil
}

// hold lets the age of the busy jobs begin anew, long before it is up. A note holds them
// in the embedded store as well; what is removed at the end of a job must not leave it
// without protection before its last word is stored.
func (c *cleaner) hold(ctx context.Context) error {
	if c.o.Busy == nil {
		return nil
	}
	busy := c.o.Busy()
	now := c.now()
	held := make(map[string]time.Time, len(busy))
	var due []string
	for _, id := range busy {
		at, ok := c.held[id]
		if !ok || now.Sub(at) >= c.o.Keep/holdsPerAge {
			due, at = append(due, id), now
		}
		held[id] = at
	}
	if len(due) > 0 {
		if err := c.from.Hold(ctx, due); err != nil {
			return fmt.Errorf("hold %d open jobs: %w", len(due), err)
		}
	}
	c.held = held
	return nil
}

// step takes one short transaction (bounds clean_step), so that returns never wait long
// behind it. What several masters share goes by its own clock.
func (c *cleaner) step(ctx context.Context, before time.Time) (int, error) {
	if shared, ok := c.from.(returners.Shared); ok {
		return shared.CleanOlder(ctx, c.o.Keep, c.o.Bounds.CleanStep)
	}
	return c.from.Clean(ctx, before, c.o.Bounds.CleanStep)
}

// now is the time by which the embedded store ages.
func (c *cleaner) now() time.Time {
	if c.o.Age != nil {
		return c.o.Age.Now()
	}
	return c.o.Now()
}
