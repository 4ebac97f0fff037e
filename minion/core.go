package minion

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/grains"
)

// core is the common part of a daemon and a call. Functions access it through their [env].
type core struct {
	cfg *config.Minion
	log *slog.Logger
	now func() time.Time

	grains   *grains.Store
	sessions *session.Sessions
	bus      *bus.Bus
	jobs     *jobs.Jobs
	external *external.Modules
	schedule *scheduler.Scheduler // nil in a call beside the daemon
	daemon   beside

	pillars Pillars                  // nil if masters compile
	pillar  atomic.Pointer[wire.Map] // the last pillar of pillars; nil if there is none yet
}

// fireEvent fires an event on the bus of the minion; a call uses the daemon's bus.
func (c *core) fireEvent(tag string, data any) error {
	if c.schedule == nil {
		return c.daemon.fire(tag, data)
	}
	return c.bus.Fire(tag, data)
}

// fireLocal fires an informational event.
func (c *core) fireLocal(tag string, data any) {
	if err := c.bus.Fire(tag, data); err != nil {
		c.log.Debug("event not fired", "tag", tag, "err", err)
	}
}
