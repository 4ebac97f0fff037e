package tracing

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/wire"
)

// The fields of loads, publications, events and HTTP headers for the context of a trace (W3C
// Trace Context).
const (
	ParentField = "traceparent"
	StateField  = "tracestate"
)

// maxState bounds a tracestate; the standard requires at least 512 bytes.
const maxState = 512

var format propagation.TraceContext

// Carrier is the transferred context of a trace. Both fields are "" without a trace.
type Carrier struct{ Parent, State string }

// Fields returns the Carrier for the two fields of a load; it accepts the types that peers
// send.
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
		if len(v) == 0 {
			return ""
		}
		if s, err := wire.Str(v); err == nil {
			return s
		}
	}
	return ""
}

// Of returns the carrier in a load.
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

// Extract adds the trace in c, which a peer has sent, to ctx. It ignores malformed fields.
func (c Carrier) Extract(ctx context.Context) context.Context {
	if len(c.Parent) != parentLen || len(c.State) > maxState {
		return ctx
	}
	return format.Extract(ctx, &c)
}

// parentLen is the length of a traceparent of version 00.
const parentLen = len("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

// sampled reports whether the last bit of the flags, the last two hex digits of the parent, is set.
func (c Carrier) sampled() bool {
	digit := c.Parent[parentLen-1]
	if digit > '9' {
		digit -= 'a' - 10
	}
	return digit&1 == 1
}

// Valid reports whether the fields identify a trace.
func (c Carrier) Valid() bool {
	return trace.SpanContextFromContext(c.Extract(context.Background())).IsValid()
}

// TraceID returns the id of the trace in 32 hex digits, "" without a trace.
func (c Carrier) TraceID() string {
	if sc := trace.SpanContextFromContext(c.Extract(context.Background())); sc.IsValid() {
		return sc.TraceID().String()
	}
	return ""
}

// Inject returns the carrier to send to a peer. Unlike Salt, it does so even for a trace that
// is not sampled, with a flag that says so: otherwise each peer would begin a trace of its own.
func (t *Tracer) Inject(ctx context.Context) Carrier {
	if t == nil {
		return Carrier{}
	}
	return CarrierOf(ctx)
}

// CarrierOf returns the carrier of the span in ctx; empty without a span.
func CarrierOf(ctx context.Context) Carrier {
	var c Carrier
	format.Inject(ctx, &c)
	return c
}

// Put sets the fields in a load, if c is valid.
func (c Carrier) Put(load *wire.Map) {
	if c.Parent != "" {
		load.Set(ParentField, c.Parent)
	}
	if c.State != "" {
		load.Set(StateField, c.State)
	}
}

// Get implements [propagation.TextMapCarrier].
func (c Carrier) Get(key string) string {
	switch key {
	case ParentField:
		return c.Parent
	case StateField:
		return c.State
	}
	return ""
}

// Set implements [propagation.TextMapCarrier].
func (c *Carrier) Set(key, val string) {
	switch key {
	case ParentField:
		c.Parent = val
	case StateField:
		c.State = val
	}
}

// Keys implements [propagation.TextMapCarrier].
func (Carrier) Keys() []string { return []string{ParentField, StateField} }
