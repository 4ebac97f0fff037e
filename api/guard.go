package api

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
)

// guard makes the endpoints of routes: it checks the request and its token, takes a place, and
// traces the handler.
type guard struct {
	origins *origins
	tokens  *tokenChecker
	budget  *budget
	tracer  *tracing.Tracer // nil: off
}

// endpoint wraps the handler of a route.
func (g *guard) endpoint(rt *route) endpoint {
	do := g.traced(rt, rt.do)
	if rt.access == withToken {
		do = g.authenticated(rt.body == "", do)
	}
	//mutant:api-get-changes-nothing
	if rt.starts && rt.method == http.MethodGet {
		do = g.sameOrigin(do)
	}
	return do
}

// sameOrigin refuses a request that a page of another origin made a browser send.
func (g *guard) sameOrigin(do endpoint) endpoint {
	return func(c *call) error {
		if c.r.Method == http.MethodGet {
			if err := g.origins.checkStart(c.r); err != nil {
				return err
			}
		}
		return do(c)
	}
}

// authenticated requires a valid token. A request without a body takes its place; one with a body
// takes it after the body has arrived.
func (g *guard) authenticated(enter bool, do endpoint) endpoint {
	return func(c *call) error {
		if err := g.tokens.require(c); err != nil {
			return err
		}
		c.w.Header().Set("Cache-Control", "private, no-store")
		if enter {
			if err := g.budget.enter(c); err != nil {
				return err
			}
		}
		return do(c)
	}
}

// traced makes the span of a request, below the one in its header traceparent, and returns the trace
// in the same header. A request that only reads starts no trace.
func (g *guard) traced(rt *route, do endpoint) endpoint {
	return func(c *call) error {
		from := tracing.Carrier{Parent: c.r.Header.Get(tracing.ParentField), State: c.r.Header.Get(tracing.StateField)}
		ctx := from.Extract(c.ctx)
		joins := trace.SpanContextFromContext(ctx).IsValid()
		begins := c.r.Method == http.MethodPost || rt.starts
		var span tracing.Span
		if g.tracer.On() && !rt.stream && (joins || begins) {
			ctx, span = g.tracer.Start(ctx, "salt.api "+c.r.Method+" "+rt.path, trace.SpanKindServer,
				attribute.String("http.request.method", c.r.Method), attribute.String("http.route", rt.path))
		}
		if to := tracing.CarrierOf(ctx); to.Parent != "" {
			c.w.Header().Set(tracing.ParentField, to.Parent)
		}
		c.ctx = ctx
		err := do(c)
		span.End(err)
		return err
	}
}
