package intake

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/returners"
)

// commitSpan starts the span of a commit of returns.
func (s *Service) commitSpan(ctx context.Context, rets []returners.Return) (context.Context, tracing.Span) {
	if !s.o.Tracer.On() || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, tracing.Span{}
	}
	return s.o.Tracer.Start(ctx, "salt.returner.commit", trace.SpanKindInternal, attribute.Int("salt.returns", len(rets)))
}

// recordBelow records a span for each job in a node's request.
func (s *Service) recordBelow(ctx context.Context, via string, rets []returners.Return, begun time.Time, err error) {
	if !s.o.Tracer.On() || trace.SpanContextFromContext(ctx).IsValid() { // a tracing syndic has its own span
		return
	}
	count := map[string]int{}
	for i := range rets {
		count[rets[i].JID]++
	}
	ended := s.o.Now()
	for jid, n := range count {
		s.o.Tracer.Record(s.o.Traces.Context(ctx, jid), "salt.req.recv._syndic_return", begun, ended, err,
			attribute.String("salt.jid", jid), attribute.String("salt.req.minion_id", via), attribute.Int("salt.returns", n))
	}
}
