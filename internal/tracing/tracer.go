package tracing

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// closePatience is how long the last spans may take to reach the collector.
const closePatience = 5 * time.Second

// Tracer makes the spans of one daemon. A nil Tracer makes none. Package export makes those
// that send them.
type Tracer struct {
	tracer   trace.Tracer
	shutdown func(context.Context) error
}

// New makes a Tracer of one of OpenTelemetry; shutdown sends what is left.
func New(t trace.Tracer, shutdown func(context.Context) error) *Tracer { return &Tracer{t, shutdown} }

// Close sends what is left.
func (t *Tracer) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("tracing: send the last spans: %w", err)
	}
	return nil
}
