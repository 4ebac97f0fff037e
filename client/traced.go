package client

import (
	"context"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing"
)

// Traced does something for a program of a version, in a span of a name and attributes with
// which the trace of its jobs begins, if the option tracing that get gives says so. A
// collector that is away is logged; other errors are those of do, or of the option.
func Traced(ctx context.Context, get func(option string) (any, bool), version, name string, attrs map[string]string, log *slog.Logger, do func(context.Context) error) error {
	v, _ := get("tracing")
	section, _ := v.(map[string]any)
	o, err := config.ReadTracing(section, "salt")
	if err != nil {
		return fmt.Errorf("tracing: %w", err)
	}
	t, err := tracing.New(ctx, o, "", version, log)
	if err != nil {
		return err
	}
	if !t.On() {
		return do(ctx)
	}
	var with []attribute.KeyValue
	for k, v := range attrs {
		with = append(with, attribute.String(k, v))
	}
	ctx, span := t.Start(ctx, name, trace.SpanKindInternal, with...)
	err = do(ctx)
	span.End(err)
	if lost := t.Close(); lost != nil {
		log.Warn("spans were lost", "err", lost)
	}
	return err
}
