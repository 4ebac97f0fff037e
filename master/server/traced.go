package server

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
)

// traced starts the span of a request: a child of its sender's span, or else of the job whose
// return it contains. A publish request starts a new trace. Others get no trace of their own,
// because minions request files, pillar and keys all day.
func (s *Server) traced(ctx context.Context, r *Request) (context.Context, tracing.Span) {
	if !s.Tracer.On() {
		return ctx, tracing.Span{}
	}
	f, err := wire.Pick(r.Load, atDoor, tracing.ParentField, tracing.StateField, "jid")
	if err != nil {
		return ctx, tracing.Span{}
	}
	from := tracing.Fields(f[0], f[1])
	if r.Cmd == "_return" && from.Parent == "" {
		jid, _ := wire.Str(f[2])
		from = s.Traces.Trace(jid)
	}
	// Most returns belong to jobs that are not sampled. A publish request hands its context on, sampled or not.
	if r.Cmd == "_return" && s.Tracer.Skips(from) {
		return ctx, tracing.Span{}
	}
	if ctx = from.Extract(ctx); r.Cmd != "publish" && !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, tracing.Span{}
	}
	return s.Tracer.Start(ctx, "salt.req.recv."+r.Cmd, trace.SpanKindServer,
		attribute.String("salt.req.cmd", r.Cmd), attribute.String("salt.req.minion_id", r.ID))
}
