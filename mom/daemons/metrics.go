package daemons

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/metrics"
)

// withMetrics puts the listener of metrics and health checks beside a daemon that
// has been opened. Without an address the daemon runs as it is. drop releases the
// daemon when the address cannot be bound.
func withMetrics(addr, role, version string, log *slog.Logger, run func(context.Context) error, drop func() error, sources ...metrics.Source) (func(context.Context) error, error) {
	if addr == "" {
		return run, nil
	}
	srv, err := metrics.Listen(addr, role, version, sources...)
	if err != nil {
		return nil, errors.Join(err, drop())
	}
	log.Info("Metrics and health checks are served", "addr", srv.Addr().String())
	return func(ctx context.Context) error {
		// Figures can be read until the daemon has ended.
		side, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := srv.Run(side); err != nil {
				log.Error("Metrics and health checks are not served any more", "err", err)
			}
		})
		err := run(ctx)
		cancel()
		wg.Wait()
		return err
	}, nil
}
