package tracing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/tracing/export"
	"github.com/momtree/mom/internal/wire"
)

// The example in the standard.
const example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// A context survives a load and is the parent on the other side, also as bytes, which Python
// peers of old protocols send for text.
func TestCarrier(t *testing.T) {
	out := tracetest.NewInMemoryExporter()
	top, below := export.NewWith(out, "top", ""), export.NewWith(out, "below", "")
	ctx, s := top.Start(t.Context(), "publish", trace.SpanKindServer)
	load := wire.NewMap("jid", "1")
	top.Inject(ctx).Put(load)
	parent, _ := load.Get(tracing.ParentField)
	for _, as := range []any{parent, []byte(parent.(string)), mustEncode(t, parent)} {
		got := tracing.Fields(as, nil)
		if !got.Valid() || got.TraceID() != trace.SpanContextFromContext(ctx).TraceID().String() {
			t.Fatalf("%T %v is no context of the trace", as, as)
		}
	}
	_, child := below.Start(tracing.Of(load).Extract(t.Context()), "forward", trace.SpanKindServer)
	child.End(errors.New("no disk"))
	s.End(nil)
	spans := out.GetSpans()
	if len(spans) != 2 || spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() || spans[0].SpanContext.TraceID() != spans[1].SpanContext.TraceID() {
		t.Fatalf("spans %+v", spans)
	}
	if spans[0].Status.Description != "no disk" || spans[1].Status.Description != "" {
		t.Error("errors", spans[0].Status, spans[1].Status)
	}
}

// A trace that is not sampled is passed on with that flag: no daemon below begins one of its
// own.
func TestCarrier_NotSampled(t *testing.T) {
	out := tracetest.NewInMemoryExporter()
	top := export.NewWith(out, "top", "always_off")
	below := export.NewWith(out, "below", "")
	ctx, s := top.Start(t.Context(), "publish", trace.SpanKindServer)
	c := top.Inject(ctx)
	if !strings.HasSuffix(c.Parent, "-00") {
		t.Fatalf("traceparent %q", c.Parent)
	}
	_, child := below.Start(c.Extract(t.Context()), "forward", trace.SpanKindServer)
	below.Record(c.Extract(t.Context()), "late", time.Unix(1, 0), time.Unix(2, 0), nil)
	child.End(nil)
	s.End(nil)
	if n := len(out.GetSpans()); n != 0 {
		t.Errorf("%d spans", n)
	}
}

// Without a trace, Record records nothing.
func TestRecord_NoTrace(t *testing.T) {
	out := tracetest.NewInMemoryExporter()
	x := export.NewWith(out, "x", "")
	x.Record(t.Context(), "late", time.Unix(1, 0), time.Unix(2, 0), nil)
	if n := len(out.GetSpans()); n != 0 {
		t.Fatalf("%d spans", n)
	}
	x.Record(tracing.Carrier{Parent: example}.Extract(t.Context()), "late", time.Unix(1, 0), time.Unix(2, 0), nil)
	if s := out.GetSpans(); len(s) != 1 || s[0].EndTime.Sub(s[0].StartTime) != time.Second {
		t.Errorf("spans %+v", s)
	}
}

// When tracing is off, no method makes, sends or puts anything into loads.
func TestOff(t *testing.T) {
	var none *tracing.Tracer
	ctx, s := none.Start(context.Background(), "x", trace.SpanKindInternal)
	s.Set()
	s.End(errors.New("x"))
	none.Record(ctx, "x", time.Now(), time.Now(), nil)
	load := wire.NewMap()
	none.Inject(tracing.Carrier{Parent: example}.Extract(ctx)).Put(load)
	if none.On() || load.Len() != 0 || none.Close() != nil {
		t.Error("not off", load)
	}
}

// Whatever a peer sends, the result is a valid context by the standard or empty.
func FuzzCarrier(f *testing.F) {
	f.Add(example, "a=b")
	f.Add("00-00000000000000000000000000000000-00f067aa0ba902b7-01", "")
	f.Add("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ",,")
	f.Fuzz(func(t *testing.T, parent, state string) {
		c := tracing.Fields(parent, state)
		if c.Valid() != (c.TraceID() != "") {
			t.Errorf("%q: valid and without id", parent)
		}
		if c.Valid() && !strings.Contains(strings.ToLower(parent), c.TraceID()) {
			t.Errorf("%q: trace %s", parent, c.TraceID())
		}
	})
}

func mustEncode(t *testing.T, v any) wire.Raw {
	t.Helper()
	r, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A tracer that follows its parents skips what is below a trace that is not sampled; one that decides itself does not.
func TestSkips(t *testing.T) {
	parent := func(flags string) tracing.Carrier {
		return tracing.Carrier{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + flags}
	}
	follows, decides := export.NewWith(tracetest.NewInMemoryExporter(), "a", ""), export.NewWith(tracetest.NewInMemoryExporter(), "b", "always_on")
	for _, c := range []struct {
		carrier tracing.Carrier
		want    bool
	}{
		{parent("00"), true},
		{parent("02"), true},
		{parent("0a"), true},
		{parent("fe"), true},
		{parent("01"), false},
		{parent("03"), false},
		{parent("0b"), false},
		{parent("ff"), false},
		{tracing.Carrier{}, false},
		{tracing.Carrier{Parent: "00-4bf92f"}, false},
	} {
		if got := follows.Skips(c.carrier); got != c.want {
			t.Errorf("below %q: skips %v, want %v", c.carrier.Parent, got, c.want)
		}
		if sampled := trace.SpanContextFromContext(c.carrier.Extract(t.Context())); sampled.IsValid() && sampled.IsSampled() == c.want {
			t.Errorf("%q: the library says sampled %v", c.carrier.Parent, sampled.IsSampled())
		}
		if decides.Skips(c.carrier) {
			t.Errorf("below %q: always_on skips", c.carrier.Parent)
		}
	}
	var off *tracing.Tracer
	if !off.Skips(parent("01")) {
		t.Error("a tracer that is off skips nothing")
	}
}
