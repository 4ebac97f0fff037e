package publish

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
)

// carrier returns the trace of a job: that of ctx or, if this master does not trace, the one in
// the load, so that nodes below can join it.
func (s *Service) carrier(ctx context.Context, load *wire.Map) tracing.Carrier {
	if c := s.o.Tracer.Inject(ctx); c.Parent != "" || load == nil {
		return c
	}
	if c := tracing.Of(load); c.Valid() {
		return c
	}
	return tracing.Carrier{}
}

// span starts a span for a step of starting a job.
func (s *Service) span(ctx context.Context, name, jid string) (context.Context, tracing.Span) {
	if !s.o.Tracer.On() || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, tracing.Span{}
	}
	return s.o.Tracer.Start(ctx, name, trace.SpanKindInternal, attribute.String("salt.jid", jid))
}
