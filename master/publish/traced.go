package publish

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
)

// carrier is the trace that a job belongs to: that of ctx, or what its load says where this
// master makes no traces, so that those below join the trace all the same.
func (s *Service) carrier(ctx context.Context, load *wire.Map) tracing.Carrier {
	if c := s.o.Tracer.Inject(ctx); c.Parent != "" || load == nil {
		return c
	}
	if c := tracing.Of(load); c.Valid() {
		return c
	}
	return tracing.Carrier{}
}

// span begins a step in the start of a job.
func (s *Service) span(ctx context.Context, name, jid string) (context.Context, tracing.Span) {
	if !s.o.Tracer.On() || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, tracing.Span{}
	}
	return s.o.Tracer.Start(ctx, name, trace.SpanKindInternal, attribute.String("salt.jid", jid))
}
