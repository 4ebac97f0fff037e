package minion

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/scheduler"
	"github.com/momtree/mom/minion/session"
)

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

// busTags are the tags of local events with requests to the minion.
var busTags = []string{"fire_master", "pillar_refresh", "module_refresh", "grains_refresh", "_salt_error", scheduler.Tag, signalTag}

// watchBus executes the requests in local events.
func (c *core) watchBus(ctx context.Context) {
	sub := c.bus.Subscribe(bus.SubscribeOptions{Prefixes: busTags, Size: 256, DropWhenFull: true})
	defer sub.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			if err := c.obey(ctx, e); err != nil && ctx.Err() == nil {
				c.log.Warn("local event not served", "tag", e.Tag, "err", err)
			}
		}
	}
}

func (c *core) obey(ctx context.Context, e bus.Event) error {
	data, err := wire.DecodeMap(e.Data)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(e.Tag, "fire_master"):
		return c.forward(ctx, data)
	case strings.HasPrefix(e.Tag, "_salt_error"):
		return c.sessions.Each(func(s *session.Session) error { return s.Fire(ctx, e.Tag, data) })
	case strings.HasPrefix(e.Tag, scheduler.Tag):
		_, err := c.schedule.Manage(data)
		return err
	case strings.HasPrefix(e.Tag, signalTag):
		return c.jobs.Signal(data.String("jid"), syscall.Signal(data.Int("signal")))
	case strings.HasPrefix(e.Tag, "pillar_refresh"):
		defer c.refreshed() // even if a master did not answer, as in Salt
		clean := data.Bool("clean_cache")
		return c.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, clean) })
	default: // module_refresh, grains_refresh: grains may have changed
		if !c.grains.Refresh(ctx) && !data.Bool("force_refresh") {
			return nil
		}
		defer c.refreshed()
		return c.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, false) })
	}
}

// forward sends events of a local program to the masters: one event, or a list of them under a
// common tag.
func (c *core) forward(ctx context.Context, data *wire.Map) error {
	load := wire.NewMap("id", c.cfg.ID, "cmd", "_minion_event")
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
	return c.sessions.Each(func(s *session.Session) error {
		_, err := s.Channel().Request(ctx, load.Clone())
		return err
	})
}

// watchGrains collects the grains again every grains_refresh_every.
func (c *core) watchGrains(ctx context.Context) {
	every := c.cfg.GrainsRefreshEvery
	if every <= 0 {
		return
	}
	for timing.Sleep(ctx, every) == nil {
		if !c.grains.Refresh(ctx) {
			continue
		}
		if err := c.sessions.Each(func(s *session.Session) error { return s.RefreshPillar(ctx, false) }); err != nil && ctx.Err() == nil {
			c.log.Warn("changed grains not reported", "err", err)
		}
	}
}
