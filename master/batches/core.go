package batches

import (
	"errors"
	"slices"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/jobevent"
)

// Core decides the next step of one batch. It has no clock, files or goroutines: a [Service] and
// the simulator (lab/sim) drive it. It is not safe for concurrent use.
type Core struct {
	State  *batchstate.State
	retry  time.Time // time of the next attempt to publish a slice; zero: now
	gaveUp bool      // a minion was given up since the last write
}

// CatchUp updates a restored state from the minions that the stored job names, sorted: these have
// started, even if the state was not written since. Lost are minions that started by the state and
// are not in the job; publish to them now.
func (c *Core) CatchUp(named []string, now time.Time) (lost []string) {
	begun := func(id string) bool {
		_, found := slices.BinarySearch(named, id)
		return found
	}
	c.State.Pending = slices.DeleteFunc(slices.Clone(c.State.Pending), func(id string) bool {
		if begun(id) {
			c.State.Active[id] = batchstate.Unix(now)
		}
		//mutant:batch-begun-by-the-stored-job
		return begun(id)
	})
	return slices.DeleteFunc(sortedKeys(c.State.Active), begun)
}

// Step applies n and returns the minions that start now.
func (c *Core) Step(n batchstate.Outcomes, now time.Time) (begin []string) {
	c.gaveUp = c.gaveUp || len(n.Gone) > 0
	if c.retry.Sub(now) > retryAfter { // the clock was set back
		c.retry = now.Add(retryAfter)
	}
	if c.retry.IsZero() || !now.Before(c.retry) {
		c.retry = time.Time{}
		return c.State.Progress(n, now)
	}
	held := c.State.Pending // no slot before the retry
	c.State.Pending = nil
	c.State.Progress(n, now)
	c.State.Pending = held
	return nil
}

// NotPublished undoes the start of minions whose slice was not published. With again they start
// later.
func (c *Core) NotPublished(ids []string, why error, now time.Time) (again bool) {
	switch {
	case errors.Is(why, ErrNobody):
		for _, id := range ids {
			delete(c.State.Active, id)
			c.State.Failed[id] = "unknown minion"
		}
		if c.State.Failhard {
			c.State.Halt(batchstate.ReasonFailhard)
		}
	case errors.Is(why, ErrNotNow):
		c.State.PutBack(ids)
		c.retry = now.Add(retryAfter)
		return true
	default:
		c.State.PutBack(ids)
		c.State.Halt(why.Error())
	}
	return false
}

// WriteFirst reports whether the state must be written before the next slice. Only the state
// records which minions timed out. After a restart without it they would count as running, and
// more minions than the batch size would run at once.
func (c *Core) WriteFirst() bool { return c.gaveUp }

// Written reports that the state was written.
func (c *Core) Written() { c.gaveUp = false }

// Halt ends the batch: no further minion starts.
func (c *Core) Halt(reason string) { c.State.Halt(reason) }

// Look reads the outcome of all active minions: first the account of the job (missing minions, and
// whether the job is open), then the returns. Any other minion is still running.
func (c *Core) Look(account func() (gone map[string]jobevent.Absence, open bool), returned func(id string) (code int, ok bool, err error)) batchstate.Outcomes {
	n := batchstate.Outcomes{Returned: map[string]int{}, Gone: map[string]string{}}
	if len(c.State.Active) == 0 {
		return n
	}
	gone, open := account()
	for id := range c.State.Active {
		code, ok, err := returned(id)
		_, missing := gone[id]
		switch {
		case err != nil: // an unreadable return is not missing
		case ok:
			n.Returned[id] = code
		//mutant:batch-work-is-waited-for
		case missing || !open:
			n.Gone[id] = batchstate.ReasonTimeout
		}
	}
	return n
}

// Due returns the time until the next step without further outcomes; ok is false if no step is due.
func (c *Core) Due(now time.Time) (time.Duration, bool) {
	s := c.State
	due, some := s.Waits(now)
	if retry := max(time.Millisecond, c.retry.Sub(now)); !c.retry.IsZero() && (!some || retry < due) {
		due, some = retry, true
	}
	if !s.Over() && len(s.Active) == 0 && len(s.Wait) == 0 && c.retry.IsZero() {
		return 0, true // a slice matched no minion: start the next ones
	}
	return due, some
}
