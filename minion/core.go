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

// core is what a daemon and a call have in common, and what a function reaches through its
// [env].
type core struct {
	cfg *config.Minion
	log *slog.Logger
	now func() time.Time

	grains   *grains.Store
	sessions *session.Sessions
	bus      *bus.Bus
	jobs     *jobs.Jobs
	external *external.Modules
	schedule *scheduler.Scheduler // nil: a call beside the daemon
	daemon   beside

	pillars Pillars                  // nil: masters compile
	pillar  atomic.Pointer[wire.Map] // what pillars compiled last; nil: nothing
}

// fireEvent fires an event on the bus of the minion: the daemon's, also from a call beside it.
func (c *core) fireEvent(tag string, data any) error {
	if c.schedule == nil {
		return c.daemon.tell(tag, data)
	}
	return c.bus.Fire(tag, data)
}

// fireLocal fires what only informs.
func (c *core) fireLocal(tag string, data any) {
	if err := c.bus.Fire(tag, data); err != nil {
		c.log.Debug("event not fired", "tag", tag, "err", err)
	}
}
