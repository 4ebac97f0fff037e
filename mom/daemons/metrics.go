package daemons

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/debugsock"
	"github.com/momtree/mom/internal/metrics"
)

// figures are where the metrics of a daemon can be read; "" is nowhere.
type figures struct {
	addr   string // host:port of metrics_listen
	socket string // of debug_socket
}

// figuresOf are those of a daemon with these options.
func figuresOf(addr string, debug bool, sockDir, role string) figures {
	f := figures{addr: addr}
	if debug {
		f.socket = debugsock.Path(sockDir, role)
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
		log.Info("Metrics and health checks are served", "addr", srv.Addr().String())
		drop = both(srv.Close, drop)
		sides = append(sides, srv.Run)
	}
	if at.socket != "" {
		srv, err := debugsock.Listen(at.socket, metrics.Handler(role, version, sources...))
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
					log.Error("Metrics and health checks are not served any more", "err", err)
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
