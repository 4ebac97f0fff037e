package minion

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/salt/modules"
)

// openSchedule creates the scheduler.
func (c *core) openSchedule() {
	c.schedule = scheduler.New(scheduler.Options{
		Config: c.cfg, Jobs: c.jobs, Grains: c.grains.Get, Fire: c.fireLocal, Log: c.log, Now: c.now,
		Env: func() modules.Env { return &env{core: c} },
		Masters: func() []scheduler.Master {
			var out []scheduler.Master
			for _, s := range c.sessions.Serving() {
				out = append(out, s)
			}
			return out
		},
	})
}

// connected is called for each session that begins to serve.
func (c *core) connected(ctx context.Context, s *session.Session) {
	c.pillarChanged(s) // it may have become the first
	c.schedule.Connected(ctx, s)
}

// pillarChanged sets the schedule of a pillar. With several masters it is that of the first, as
// in Salt.
func (c *core) pillarChanged(s *session.Session) {
	if c.schedule == nil {
		return
	}
	if serving := c.sessions.Serving(); len(serving) == 0 || serving[0] == s {
		c.schedule.SetPillar(s.Pillar())
	}
}

// ManageSchedule sends a request to the scheduler of this minion; a call sends it to the daemon
// beside it.
func (e *env) ManageSchedule(ctx context.Context, data *wire.Map) (*wire.Map, error) {
	switch answer := scheduler.AnswerTag(data); {
	case e.core.schedule != nil:
		return e.core.schedule.Manage(data)
	case answer == "":
		return nil, e.core.daemon.fire(scheduler.Tag, data)
	default:
		return e.core.daemon.ask(ctx, scheduler.Tag, data, answer)
	}
}
