package tracing

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/wire"
)

// The fields of loads, publications, events and HTTP headers in which the context of a trace
// travels (W3C Trace Context).
const (
	ParentField = "traceparent"
	StateField  = "tracestate"
)

// maxState bounds a tracestate; the standard asks for 512 bytes at least.
const maxState = 512

var format propagation.TraceContext

// Carrier is the context of a trace as it travels. Both are "" where there is none.
type Carrier struct{ Parent, State string }

// Fields are the two fields of a load, of other types where a peer sends them so.
func Fields(parent, state any) Carrier {
	return Carrier{Parent: field(parent), State: field(state)}
}

func field(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case wire.Raw:
		if s, err := wire.Str(v); err == nil {
			return s
		}
	}
	return ""
}

// Of is the carrier of a load.
func Of(load *wire.Map) Carrier {
	if load == nil {
		return Carrier{}
	}
	parent, ok := load.Get(ParentField)
	if !ok {
		return Carrier{}
	}
	state, _ := load.Get(StateField)
	return Fields(parent, state)
}

// Extract adds the trace that a peer has sent to ctx. Malformed fields are ignored.
func (c Carrier) Extract(ctx context.Context) context.Context {
	if len(c.Parent) != parentLen || len(c.State) > maxState {
		return ctx
	}
	return format.Extract(ctx, &c)
}

// parentLen is the length of a traceparent of version 00.
const parentLen = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

// Valid reports whether the fields name a trace.
func (c Carrier) Valid() bool {
	return trace.SpanContextFromContext(c.Extract(context.Background())).IsValid()
}

// TraceID is the id of the trace in 32 hex digits, "" if there is none.
func (c Carrier) TraceID() string {
	if sc := trace.SpanContextFromContext(c.Extract(context.Background())); sc.IsValid() {
		return sc.TraceID().String()
	}
	return ""
}

// Inject gives what a peer is sent. Unlike Salt's it is also given of a trace that is not
// sampled, and says so: otherwise each peer would begin a trace of its own.
func (t *Tracer) Inject(ctx context.Context) Carrier {
	if t == nil {
		return Carrier{}
	}
	return CarrierOf(ctx)
}

// CarrierOf is the carrier of the span in ctx; empty if there is none.
func CarrierOf(ctx context.Context) Carrier {
	var c Carrier
	format.Inject(ctx, &c)
	return c
}

// Put sets the fields of a load, if there is a trace.
func (c Carrier) Put(load *wire.Map) {
	if c.Parent != "" {
		load.Set(ParentField, c.Parent)
	}
	if c.State != "" {
		load.Set(StateField, c.State)
	}
}

// Get serves [propagation.TextMapCarrier].
func (c Carrier) Get(key string) string {
	switch key {
	case ParentField:
		return c.Parent
	case StateField:
		return c.State
	}
	return ""
}

// Set serves [propagation.TextMapCarrier].
func (c *Carrier) Set(key, val string) {
	switch key {
	case ParentField:
		c.Parent = val
	case StateField:
		c.State = val
	}
}

// Keys serves [propagation.TextMapCarrier].
func (Carrier) Keys() []string { return []string{ParentField, StateField} }
