package syndic

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/syndic/handover"
)

// A master above that takes its time for one request must not keep the next job
// that is complete waiting. So while a sender waits for an answer its helper sends
// what else is owed, in a request of its own: two are under way at most, and never
// both with returns of one job. Only the sender deals with what is not taken, so it
// alone decides what is sent again, set aside, or goes to another master; as long as
// something is wrong it has no helper.

// The lanes of a parent.
const (
	ownLane = iota // the sender's
	sideLane
	lanesUp
)

// claims are the jobs with returns under way to one parent, by the lane that has
// them.
type claims struct {
	mu   sync.Mutex
	jobs map[string]int
	held [lanesUp]int // jobs of each
}

func newClaims() *claims { return &claims{jobs: map[string]int{}} }

// take claims a job for a lane, if the other one does not have it.
func (c *claims) take(lane int, jid string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	by, claimed := c.jobs[jid]
	if !claimed {
		c.jobs[jid] = lane
		c.held[lane]++
	}
	return !claimed || by == lane
}

// release lets go of all that a lane has.
func (c *claims) release(lane int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for jid, by := range c.jobs {
		if by == lane {
			delete(c.jobs, jid)
		}
	}
	c.held[lane] = 0
}

// busy tells whether a lane has something under way.
func (c *claims) busy(lane int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[lane] > 0
}

// helper sends beside a sender.
type helper struct {
	s       *sender
	kick    chan struct{}
	over    *handover.Sender
	claims  *claims
	trouble atomic.Bool // something was not taken, and the sender has not mended it
}

// wake has the helper look for work, if the sender is at some.
func (h *helper) wake() {
	if !h.trouble.Load() && h.claims.busy(ownLane) {
		ring(h.kick)
	}
}

// run helps until ctx ends, whenever it is kicked.
func (h *helper) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.kick:
		}
		if h.trouble.Load() {
			continue
		}
		if err := h.over.Help(ctx); err != nil && ctx.Err() == nil {
			h.trouble.Store(true)
			h.s.l.log.Info("Returns were not taken by the master above; they are sent again one request at a time", "err", err)
			h.s.l.s.returns.shift() // the sender has passed them by
		}
	}
}
