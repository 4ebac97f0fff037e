package minion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
)

// openSchedule makes what runs jobs by the clock.
func (m *Minion) openSchedule() {
	m.schedule = scheduler.New(scheduler.Options{
		Config: m.cfg, Jobs: m.jobs, Grains: m.grains.Get, Fire: m.fireLocal, Log: m.log, Now: m.now,
		Env: func() modules.Env { return &env{m: m} },
		Masters: func() []scheduler.Master {
			var out []scheduler.Master
			for _, s := range m.sessions.Serving() {
				out = append(out, s)
			}
			return out
		},
	})
}

// connected is told of each session that is served now.
func (m *Minion) connected(ctx context.Context, s *session.Session) {
	m.pillarChanged(s) // it may be the first only now
	m.schedule.Connected(ctx, s)
}

// pillarChanged has the schedule of a pillar be the minion's. Of several masters that of the
// first is, as in Salt.
func (m *Minion) pillarChanged(s *session.Session) {
	if m.schedule == nil {
		return
	}
	if serving := m.sessions.Serving(); len(serving) == 0 || serving[0] == s {
		m.schedule.SetPillar(s.Pillar())
	}
}

// scheduleTimeout bounds the wait of a salt-call for the daemon's answer.
const scheduleTimeout = 30 * time.Second

// ManageSchedule asks the scheduler of this minion: of the daemon beside it, if this is a
// call.
func (e *env) ManageSchedule(ctx context.Context, data *wire.Map) (*wire.Map, error) {
	if e.m.schedule != nil {
		return e.m.schedule.Manage(data)
	}
	if scheduler.AnswerTag(data) == "" {
		return nil, e.m.tellDaemon(scheduler.Tag, data)
	}
	return e.m.askDaemon(ctx, scheduler.Tag, data, scheduler.AnswerTag(data))
}

// errNoAnswer is a daemon that does not serve a request.
var errNoAnswer = errors.New("the minion daemon does not answer")

// askDaemon fires an event on the bus of the daemon and waits for the one that answers.
func (m *Minion) askDaemon(ctx context.Context, tag string, data any, answer string) (*wire.Map, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, scheduleTimeout, errNoAnswer)
	defer cancel()
	c, err := m.dialDaemon(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Fire(ctx, tag, data); err != nil {
		return nil, fmt.Errorf("tell the minion daemon: %w", err)
	}
	for {
		ev, err := c.Next(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return nil, fmt.Errorf("await the minion daemon: %w", err)
		}
		if ev.Tag == answer {
			return wire.DecodeMap(ev.Data)
		}
	}
}

// dialDaemon reaches the event bus of the daemon that runs beside this process.
func (m *Minion) dialDaemon(ctx context.Context) (*bus.Client, error) {
	pub, pull, err := bus.MinionNames(m.cfg.ID, m.cfg.HashType)
	if err != nil {
		return nil, err
	}
	c, err := bus.Dial(ctx, bus.ClientConfig{
		SockDir: m.cfg.SockDir, PubName: pub, PullName: pull,
		IPCMode: m.cfg.IpcMode, PubPort: m.cfg.TcpPubPort, PullPort: m.cfg.TcpPullPort,
		Framing: bus.Framing(m.cfg.IpcFraming), Now: m.now,
	})
	if err != nil {
		return nil, fmt.Errorf("reach the minion daemon: %w", err)
	}
	return c, nil
}
