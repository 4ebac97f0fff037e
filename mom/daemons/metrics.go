package daemons

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/metrics"
)

// figures are where the metrics of a daemon can be read; "" is nowhere.
type figures struct {
	addr   string // host:port of metrics_listen
	socket string // of debug_socket
	push   config.Metrics
	id     string // of the daemon
}

// figuresOfDaemon are those of the daemon of a role, and where the option metrics sends them.
func figuresOfDaemon(c *config.Common, sockDir, role, service, id string) (figures, error) {
	f := figuresOf(c.MetricsListen, c.DebugSocket, sockDir, role)
	var err error
	if f.push, err = config.ReadMetrics(c.Metrics, service); err != nil {
		return f, fmt.Errorf("metrics: %w", err)
	}
	f.id = id
	if f.push.Enabled && f.push.Exporter == "prometheus" && f.addr == "" {
		f.addr = f.push.Listen
	}
	return f, nil
}

// figuresOf are those of a daemon with these options.
func figuresOf(addr string, debug bool, sockDir, role string) figures {
	f := figures{addr: addr}
	if debug {
		f.socket = daemon.DebugSocketPath(sockDir, role)
	}
	return f
}

// withMetrics puts the listeners of metrics, health checks and profiles beside a daemon that
// has been opened. Without an address and a socket the daemon runs as it is. drop releases
// the daemon when one of them cannot be bound.
func withMetrics(at figures, role, version string, log *slog.Logger, run func(context.Context) error, drop func() error, sources ...metrics.Source) (func(context.Context) error, error) {
	var sides []func(context.Context) error
	if at.addr != "" {
		srv, err := metrics.Listen(at.addr, role, version, sources...)
		if err != nil {
			return nil, errors.Join(err, drop())
		}
		log.Info("metrics and health checks serving", "addr", srv.Addr().String())
		drop = both(srv.Close, drop)
		sides = append(sides, srv.Run)
	}
	if at.push.Enabled {
		for _, what := range at.push.Unknown {
			log.Warn("metrics option ignored", "reason", what)
		}
		if e := at.push.Exporter; e == "otlp-http" || e == "console" {
			if at.addr != "" {
				sources = metrics.Idle(sources) // the listener keeps them going
			}
			p, err := metrics.NewPusher(context.Background(), at.push, role, at.id, version, sources...)
			if err != nil {
				return nil, errors.Join(err, drop())
			}
			log.Info("sending metrics", "exporter", e, "endpoint", at.push.Endpoint, "every", at.push.Interval)
			drop = both(p.Close, drop)
			sides = append(sides, func(ctx context.Context) error {
				if err := p.Run(ctx); err != nil { // the collector is away: that is no fault of the daemon
					log.Warn("last metrics not sent", "err", err)
				}
				return nil
			})
		}
	}
	if at.socket != "" {
		srv, err := daemon.ListenDebug(at.socket, metrics.Handler(role, version, sources...))
		if err != nil {
			return nil, errors.Join(err, drop())
		}
		log.Info("serving profiles", "socket", at.socket)
		sides = append(sides, srv.Run)
	}
	if len(sides) == 0 {
		return run, nil
	}
	return func(ctx context.Context) error {
		// Figures can be read until the daemon has ended.
		side, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var wg sync.WaitGroup
		for _, serve := range sides {
			wg.Go(func() {
				if err := serve(side); err != nil {
					log.Error("metrics and health checks stopped", "err", err)
				}
			})
		}
		err := run(ctx)
		cancel()
		wg.Wait()
		return err
	}, nil
}

// both closes two things.
func both(a, b func() error) func() error { return func() error { return errors.Join(a(), b()) } }
