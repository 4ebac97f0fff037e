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

// span starts a span of a job, below ctx or the span in the publication. It never starts a
// trace.
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

// failed returns an error if the retcode of a result reports a failure.
func failed(r delivery.Result) error {
	if ok, is := r.Success.(bool); is && !ok {
		if text, is := r.Value.(string); is {
			return errors.New(text)
		}
		return fmt.Errorf("retcode %v", r.Retcode)
	}
	return nil
}
