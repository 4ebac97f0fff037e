package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/tracing/export"
)

// The example of the W3C standard.
const (
	traceID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	traceparent = "00-" + traceID + "-00f067aa0ba902b7-01"
)

// The job of a request joins the trace in its header, and the answer names the trace. Without that
// header a request starts a trace if tracing is on and it does not only read.
func TestTraceparent(t *testing.T) {
	for _, c := range []struct {
		name, method, path, parent string
		on                         bool
		trace                      string // of the answer; "new": any other
		spans                      int
	}{
		{"joins", "POST", "/", traceparent, true, traceID, 1},
		{"joins without tracing", "POST", "/", traceparent, false, traceID, 0},
		{"begins", "POST", "/", "", true, "new", 1},
		{"none", "POST", "/", "", false, "", 0},
		{"a malformed header is ignored", "POST", "/", "00-" + traceID + "-0-01", true, "new", 1},
		{"too long", "POST", "/", traceparent + strings.Repeat("-00", 1000), false, "", 0},
		{"reading joins", "GET", "/jobs", traceparent, true, traceID, 1},
		{"reading begins none", "GET", "/jobs", "", true, "", 0},
	} {
		f, out := newFake(), tracetest.NewInMemoryExporter()
		s := serve(t, f, func(o *Options) {
			if c.on {
				o.Tracer = export.NewWith(out, "salt-api", "")
			}
		})
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(`[{"client": "local_async", "tgt": "*", "fun": "test.ping"}]`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Auth-Token", f.token("alice", time.Hour))
		if c.parent != "" {
			r.Header.Set("Traceparent", c.parent)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", c.name, w.Code, w.Body)
		}
		got := tracing.Carrier{Parent: w.Header().Get("Traceparent")}.TraceID()
		if c.trace == "new" {
			if len(got) != 32 || got == traceID {
				t.Errorf("%s: trace %q", c.name, got)
			}
		} else if got != c.trace {
			t.Errorf("%s: trace %q, want %q", c.name, got, c.trace)
		}
		if n := len(out.GetSpans()); n != c.spans {
			t.Errorf("%s: %d spans, want %d", c.name, n, c.spans)
		}
		if c.method == "POST" && (len(f.traces) != 1 || f.traces[0] != got) {
			t.Errorf("%s: the job belongs to %q, want %q", c.name, f.traces, got)
		}
	}
}
