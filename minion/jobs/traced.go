package jobs

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// span begins a span of a job, below ctx or what its publication says. It begins no trace.
func (j *Jobs) span(ctx context.Context, what string, kind trace.SpanKind, p wire.Publication) (context.Context, tracing.Span) {
	if !j.Tracer.On() {
		return ctx, tracing.Span{}
	}
	if !trace.SpanContextFromContext(ctx).IsValid() {
		c := tracing.Of(p.Extra)
		if !c.Valid() {
			return ctx, tracing.Span{}
		}
		ctx = c.Extract(ctx)
	}
	fun := wire.FunName(p.Fun)
	return j.Tracer.Start(ctx, what+fun, kind, attribute.String("salt.fun", fun), attribute.String("salt.jid", p.JID))
}

// failed is the error of a result whose retcode says so.
func failed(r delivery.Result) error {
	if ok, is := r.Success.(bool); is && !ok {
		if text, is := r.Value.(string); is {
			return errors.New(text)
		}
		return fmt.Errorf("retcode %v", r.Retcode)
	}
	return nil
}
