package minion

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
	"github.com/momtree/mom/salt/modules"
)

// openSchedule makes what runs jobs by the clock.
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

// connected is told of each session that is served now.
func (c *core) connected(ctx context.Context, s *session.Session) {
	c.pillarChanged(s) // it may be the first only now
	c.schedule.Connected(ctx, s)
}

// pillarChanged has the schedule of a pillar be the minion's. Of several masters that of the
// first is, as in Salt.
func (c *core) pillarChanged(s *session.Session) {
	if c.schedule == nil {
		return
	}
	if serving := c.sessions.Serving(); len(serving) == 0 || serving[0] == s {
		c.schedule.SetPillar(s.Pillar())
	}
}

// ManageSchedule asks the scheduler of this minion: of the daemon beside it, if this is a
// call.
func (e *env) ManageSchedule(ctx context.Context, data *wire.Map) (*wire.Map, error) {
	switch answer := scheduler.AnswerTag(data); {
	case e.core.schedule != nil:
		return e.core.schedule.Manage(data)
	case answer == "":
		return nil, e.core.daemon.tell(scheduler.Tag, data)
	default:
		return e.core.daemon.ask(ctx, scheduler.Tag, data, answer)
	}
}
