package daemons

import (
	"context"
	"errors"
	"log/slog"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/tracing/export"
)

// withTracer opens a daemon with a tracer, which ends after it.
func withTracer(ctx context.Context, conf map[string]any, service, id, version string, log *slog.Logger, open func(*tracing.Tracer) (func(context.Context) error, error)) (func(context.Context) error, error) {
	o, err := config.ReadTracing(conf, service)
	if err != nil {
		return nil, err
	}
	t, err := export.New(ctx, o, id, version, log)
	if err != nil {
		return nil, err
	}
	run, err := open(t)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if !t.On() {
		return run, nil
	}
	return func(ctx context.Context) error {
		err := run(ctx)
		if lost := t.Close(); lost != nil { // the collector is away: that is no fault of the daemon
			log.Warn("last spans not sent", "err", lost)
		}
		return err
	}, nil
}
