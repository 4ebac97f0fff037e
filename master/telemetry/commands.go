package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master/keys"
)

// Command counts one encrypted command.
type Command struct {
	served, failed atomic.Uint64
	nanos          atomic.Int64
}

// Done notes that it was served once, since begun.
func (c *Command) Done(begun time.Time, err error) {
	c.served.Add(1)
	c.nanos.Add(int64(time.Since(begun)))
	if err != nil {
		c.failed.Add(1)
	}
}

// Commands are the counters of all commands, by name. The map is complete before
// the first request.
type Commands map[string]*Command

// Add makes the counter of a command.
func (cs Commands) Add(name string) *Command {
	c := &Command{}
	cs[name] = c
	return c
}

func (cs Commands) collect(s *metrics.Sink) {
	for name, c := range cs {
		s.Count("mom_requests_total", c.served.Load(), name)
		s.Count("mom_requests_failed_total", c.failed.Load(), name)
		s.Set("mom_request_seconds_total", time.Duration(c.nanos.Load()).Seconds(), name)
	}
}

// SignIns counts sign-ins by outcome.
type SignIns [keys.Admitted + 1]atomic.Uint64

// Add counts one.
func (c *SignIns) Add(o keys.Outcome) { c[o].Add(1) }

func (c *SignIns) collect(s *metrics.Sink) {
	for o := range c {
		s.Count("mom_sign_ins_total", c[o].Load(), keys.Outcome(o).String())
	}
}
