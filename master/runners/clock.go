package runners

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Timekeeper is an [Env] of a master that monitors its wall clock.
type Timekeeper interface {
	// Clock returns the state of the wall clock, and whether it jumped.
	Clock() *wire.Map
	// ConfirmClock accepts the current wall clock as correct. was reports whether it was in doubt,
	// and jumped is the size of the jump.
	ConfirmClock() (jumped time.Duration, was bool)
}

var errNoClock = errors.New("the clock of this master is not monitored")

func init() {
	Register(
		Function{
			Name: "clock.status",
			Doc: `
Whether the wall clock of this master is trusted, by how many seconds it jumped, and after
how many more seconds it is trusted again. Until then nothing is removed because of its
age, and no queued job ends.

    salt-run clock.status
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				k, ok := c.Env.(Timekeeper)
				if !ok {
					return nil, errNoClock
				}
				return k.Clock(), nil
			},
		},
		Function{
			Name: "clock.confirm",
			Doc: `
Confirm the wall clock of this master after a jump: old jobs are removed again, and queued
jobs end at their deadlines. The jump does not count towards the age of a job.

    salt-run clock.confirm
`,
			Run: func(_ context.Context, c *Call) (any, error) {
				k, ok := c.Env.(Timekeeper)
				if !ok {
					return nil, errNoClock
				}
				jumped, was := k.ConfirmClock()
				if !was {
					return "The clock had not jumped; there was nothing to confirm.", nil
				}
				return fmt.Sprintf("The clock is taken for right; it had jumped by %s.", jumped.Round(time.Second)), nil
			},
		},
	)
}
