package minion

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
)

// signalTag asks the daemon to signal one of its jobs. It is ours: other minions
// run each job as a process of its own.
const signalTag = "mom_signal_job"

// serveBus binds the sockets of the minion's event bus under Salt's names.
func serveBus(b *bus.Bus, cfg *config.Minion, log *slog.Logger) (*bus.Server, error) {
	if err := os.MkdirAll(cfg.SockDir, 0o755); err != nil {
		return nil, err
	}
	pub, pull, err := bus.MinionNames(cfg.ID, cfg.HashType)
	if err != nil {
		return nil, err
	}
	return bus.Serve(b, bus.ServerConfig{
		SockDir: cfg.SockDir, PubName: pub, PullName: pull, Framing: bus.Framing(cfg.IpcFraming),
		IPCMode: cfg.IpcMode, PubPort: cfg.TcpPubPort, PullPort: cfg.TcpPullPort, Log: log,
	})
}

func (m *Minion) fireEvent(tag string, data any) error {
	if m.ipc == nil { // a salt-call: the daemon's bus is the minion's
		return m.tellDaemon(tag, data)
	}
	return m.bus.Fire(tag, data)
}

// fireLocal fires what only informs.
func (m *Minion) fireLocal(tag string, data any) {
	if err := m.bus.Fire(tag, data); err != nil {
		m.log.Debug("event not fired", "tag", tag, "err", err)
	}
}

// tellTimeout bounds one event from a salt-call to the daemon.
const tellTimeout = 3 * time.Second

// tellDaemon fires an event on the bus of the daemon that runs beside this
// process.
func (m *Minion) tellDaemon(tag string, data any) error {
	ctx, cancel := context.WithTimeout(context.Background(), tellTimeout)
	defer cancel()
	c, err := m.dialDaemon(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.Fire(ctx, tag, data)
}

// busTags are the events of the local bus that ask the minion for something.
var busTags = []string{"fire_master", "pillar_refresh", "module_refresh", "grains_refresh", "_salt_error", scheduler.Tag, signalTag}

// signalOther has the process that runs a job signal it, through its event bus: a signal
// to the process itself would end all its jobs.
func (m *Minion) signalOther(jid string, sig syscall.Signal) error {
	return m.tellDaemon(signalTag, wire.NewMap("jid", jid, "signal", int(sig)))
}

// watchBus does what local events ask for.
func (m *Minion) watchBus(ctx context.Context) {
	sub := m.bus.Subscribe(bus.SubscribeOptions{Prefixes: busTags, Size: 256, DropWhenFull: true})
	defer sub.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			if err := m.obey(ctx, e); err != nil && ctx.Err() == nil {
				m.log.Warn("local event not served", "tag", e.Tag, "err", err)
			}
		}
	}
}

func (m *Minion) obey(ctx context.Context, e bus.Event) error {
	data, err := wire.DecodeMap(e.Data)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(e.Tag, "fire_master"):
		return m.forward(ctx, data)
	case strings.HasPrefix(e.Tag, "_salt_error"):
		return m.sessions.Each(func(s *session.Session) error { return s.Fire(ctx, e.Tag, data) })
	case strings.HasPrefix(e.Tag, scheduler.Tag):
		_, err := m.schedule.Manage(data)
		return err
	case strings.HasPrefix(e.Tag, signalTag):
		return m.jobs.Signal(data.String("jid"), syscall.Signal(data.Int("signal")))
	case strings.HasPrefix(e.Tag, "pillar_refresh"):
		clean := data.Bool("clean_cache")
		return m.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, clean) })
	default: // module_refresh, grains_refresh: grains may have changed
		if !m.grains.Refresh(ctx) && !data.Bool("force_refresh") {
			return nil
		}
		return m.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, false) })
	}
}

// forward sends what a local program wants the master to hear: one event, or a
// list of them under a common tag.
func (m *Minion) forward(ctx context.Context, data *wire.Map) error {
	load := wire.NewMap("id", m.cfg.ID, "cmd", "_minion_event")
	pretag, _ := data.Get("pretag")
	load.Set("pretag", pretag)
	if events := data.List("events"); len(events) > 0 {
		load.Set("events", events)
	} else if tag := data.String("tag"); tag != "" {
		body, _ := data.Get("data")
		load.Set("data", body)
		load.Set("tag", tag)
	} else {
		return fmt.Errorf("neither tag nor events are given")
	}
	return m.sessions.Each(func(s *session.Session) error {
		_, err := s.Channel().Request(ctx, load)
		return err
	})
}

// watchGrains looks at the grains again every grains_refresh_every.
func (m *Minion) watchGrains(ctx context.Context) {
	every := m.cfg.GrainsRefreshEvery
	if every <= 0 {
		return
	}
	for sleep.For(ctx, every) == nil {
		if !m.grains.Refresh(ctx) {
			continue
		}
		if err := m.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, false) }); err != nil && ctx.Err() == nil {
			m.log.Warn("changed grains not told", "err", err)
		}
	}
}
