package tracing

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// On reports whether tracing is on. Check it before work that only spans need.
func (t *Tracer) On() bool { return t != nil }

// Span is a span of a trace. The zero Span does nothing.
type Span struct{ span trace.Span }

// Start begins a span below that of ctx, or a trace.
func (t *Tracer) Start(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return ctx, Span{s}
}

// Record records a span of a finished activity, below that of ctx. Without a span in ctx it
// does nothing, because a finished activity does not begin a trace.
func (t *Tracer) Record(ctx context.Context, name string, begun, ended time.Time, err error, attrs ...attribute.KeyValue) {
	if t == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return
	}
	_, s := t.tracer.Start(ctx, name, trace.WithTimestamp(begun), trace.WithAttributes(attrs...))
	fail(s, err)
	s.End(trace.WithTimestamp(ended))
}

// Set adds attributes.
func (s Span) Set(attrs ...attribute.KeyValue) {
	if s.span != nil {
		s.span.SetAttributes(attrs...)
	}
}

// End ends the span; an error marks it as failed.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	fail(s.span, err)
	s.span.End()
}

func fail(s trace.Span, err error) {
	if err != nil {
		s.RecordError(err)
		s.SetStatus(codes.Error, err.Error())
	}
}
