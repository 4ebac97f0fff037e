package tracing

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// closePatience bounds sending the last spans to the collector.
const closePatience = 5 * time.Second

// Tracer makes the spans of a daemon. A nil Tracer makes none. Package export makes Tracers
// that send them.
type Tracer struct {
	tracer      trace.Tracer
	parentBased bool
	shutdown    func(context.Context) error
}

// New returns a Tracer for one of OpenTelemetry; shutdown sends the remaining spans. parentBased says that its
// sampler records no span below one that is not sampled.
func New(t trace.Tracer, parentBased bool, shutdown func(context.Context) error) *Tracer {
	return &Tracer{t, parentBased, shutdown}
}

// Skips reports whether no span below c would be recorded.
func (t *Tracer) Skips(c Carrier) bool {
	return t == nil || t.parentBased && len(c.Parent) == parentLen && !c.sampled()
}

// Close sends the remaining spans.
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
