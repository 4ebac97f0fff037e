package master

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/tracing/export"
)

// BenchmarkTracedReturns measures returns of stock minions with tracing off, with one job in a hundred traced, and with
// all. Spans go to a collector that discards them.
func BenchmarkTracedReturns(b *testing.B) {
	for _, c := range []struct {
		name  string
		on    bool
		share float64
	}{{name: "off"}, {name: "hundredth", on: true, share: 0.01}, {name: "all", on: true, share: 1}} {
		b.Run(c.name, func(b *testing.B) {
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
			}))
			defer collector.Close()
			r := newRig(b, func(cf *config.Master) { cf.MaxConnections = 4 * stockMinions })
			var err error
			r.opts.Tracer, err = export.New(b.Context(), config.Tracing{
				Collector: config.Collector{Enabled: c.on, Exporter: "otlp-http", Endpoint: collector.URL + "/v1/traces", Service: "salt-master"},
				Sampler:   "parent_based", SamplerArg: c.share,
			}, "top", "", slog.New(slog.DiscardHandler))
			if err != nil {
				b.Fatal(err)
			}
			r.stockReturns(b, herdPlan{Kept: true})
		})
	}
}
