package jobstore

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

// holdsPerAge is how often a busy job is held within Options.Keep.
const holdsPerAge = 4

// Cleaner removes old jobs from one store and holds those that must stay.
type Cleaner struct {
	s    *Store
	from returners.Returner
	held map[string]time.Time // busy jobs: when they were held, by the clock of ages
}

// Cleaner returns a cleaner of the embedded store, for callers that schedule it themselves, such as
// the simulator. [Store.Run] uses its own.
func (s *Store) Cleaner() *Cleaner { return &Cleaner{s, s.o.Local, nil} }

func (s *Store) cleanUp(ctx context.Context) {
	cleaners := []*Cleaner{s.Cleaner()}
	unsaved := false
	for {
		s.mu.Lock()
		if s.remote != nil && len(cleaners) == 1 {
			cleaners = append(cleaners, &Cleaner{s, s.remote, nil})
		}
		s.mu.Unlock()
		for _, c := range cleaners {
			if err := c.Round(ctx, rest); err != nil && ctx.Err() == nil {
				s.o.Log.Error("old jobs not removed", "returner", c.from.Name(), "err", err)
			}
		}
		if err := s.forgetAside(ctx, s.o.Now().Add(-s.o.Keep)); err != nil && ctx.Err() == nil {
			s.o.Log.Error("old events set aside not removed", "err", err)
		}
		unsaved = s.saveAge(unsaved)
		if timing.Sleep(ctx, s.o.Every) != nil {
			return
		}
	}
}

// saveAge saves the age clock. It logs an error once: disk problems are reported elsewhere.
func (s *Store) saveAge(failed bool) bool {
	if s.o.Age == nil {
		return false
	}
	err := s.o.Age.Save()
	if err != nil && !failed {
		s.o.Log.Warn("job expiry not saved, jobs stay longer after a restart", "err", err)
	}
	return err != nil
}

// rest pauses between two steps of a round, so that returns can be stored.
func rest(ctx context.Context) error { return timing.Sleep(ctx, 50*time.Millisecond) }

// Round removes old jobs while the wall clock can be trusted. It calls rest between steps and stops
// when rest returns an error.
func (c *Cleaner) Round(ctx context.Context, rest func(context.Context) error) error {
	before := c.s.o.Now() // read first: held jobs are newer
	if c.from == returners.Returner(c.s.o.Local) {
		before = c.now()
	}
	//mutant:busy-jobs-are-held
	if err := c.hold(ctx); err != nil {
		return err
	}
	for c.s.o.Age == nil || c.s.o.Age.Steady() {
		n, err := c.step(ctx, before.Add(-c.s.o.Keep))
		if err != nil {
			return err
		}
		if n == 0 || rest(ctx) != nil {
			break
		}
	}
	return nil
}

// hold renews the age of busy jobs, long before they are old. A note also protects them in the
// embedded store, but it is removed at the end of a job, before its last event is stored.
func (c *Cleaner) hold(ctx context.Context) error {
	if c.s.o.Busy == nil {
		return nil
	}
	busy := c.s.o.Busy()
	now := c.now()
	held := make(map[string]time.Time, len(busy))
	var due []string
	for _, id := range busy {
		at, ok := c.held[id]
		if !ok || now.Sub(at) >= c.s.o.Keep/holdsPerAge {
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

// step runs one short transaction (bounds clean_step), so that returns do not wait for it. A store
// shared by several masters uses its own clock.
func (c *Cleaner) step(ctx context.Context, before time.Time) (int, error) {
	if shared, ok := c.from.(returners.Shared); ok {
		return shared.CleanOlder(ctx, c.s.o.Keep, c.s.o.Bounds.CleanStep)
	}
	return c.from.Clean(ctx, before, c.s.o.Bounds.CleanStep)
}

// now is the clock for ages in the embedded store.
func (c *Cleaner) now() time.Time {
	if c.s.o.Age != nil {
		return c.s.o.Age.Now()
	}
	return c.s.o.Now()
}
