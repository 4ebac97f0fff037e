package api

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
)

// traced begins the span of a request, below what its header traceparent says, and tells the
// client the trace by the same header. Reading begins no trace.
func (s *Server) traced(c *call) (context.Context, tracing.Span) {
	from := tracing.Carrier{Parent: c.r.Header.Get(tracing.ParentField), State: c.r.Header.Get(tracing.StateField)}
	ctx := from.Extract(c.ctx)
	joins := trace.SpanContextFromContext(ctx).IsValid()
	begins := c.r.Method == http.MethodPost || c.route.starts
	var span tracing.Span
	if s.o.Tracer.On() && !c.route.stream && (joins || begins) {
		ctx, span = s.o.Tracer.Start(ctx, "salt.api "+c.r.Method+" "+c.route.path, trace.SpanKindServer,
			attribute.String("http.request.method", c.r.Method), attribute.String("http.route", c.route.path))
	}
	if to := tracing.CarrierOf(ctx); to.Parent != "" {
		c.w.Header().Set(tracing.ParentField, to.Parent)
	}
	return ctx, span
}
