package metrics

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
)

// The metrics reach a collector under the name and id of the daemon, repeatedly, and once more
// when the daemon ends; Run of the sources continues meanwhile.
func TestPusher(t *testing.T) {
	type pushed struct {
		service, id string
		names       map[string]bool
	}
	got := make(chan pushed, 100)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var req otlp.ExportMetricsServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &req)
		}
		if err != nil || r.Header.Get("X-Token") != "t" {
			t.Error(err, r.Header)
			return
		}
		p := pushed{names: map[string]bool{}}
		for _, rm := range req.GetResourceMetrics() {
			for _, a := range rm.GetResource().GetAttributes() {
				switch a.GetKey() {
				case "service.name":
					p.service = a.GetValue().GetStringValue()
				case "service.instance.id":
					p.id = a.GetValue().GetStringValue()
				}
			}
			for _, sm := range rm.GetScopeMetrics() {
				for _, m := range sm.GetMetrics() {
					p.names[m.GetName()] = true
				}
			}
		}
		got <- p
	}))
	defer srv.Close()
	var works atomic.Bool
	source := Source{
		Collect: func(s *Sink) { s.Set("mom_jobs_open", 3) },
		Run:     func(ctx context.Context) { works.Store(true); <-ctx.Done(); works.Store(false) },
	}
	o := config.Metrics{
		Collector: config.Collector{Exporter: "otlp-http", Endpoint: srv.URL + "/v1/metrics", Headers: map[string]string{"X-Token": "t"}, Service: "salt-master"},
		Interval:  10 * time.Millisecond,
	}
	p, err := NewPusher(t.Context(), o, "master", "top", "1.0", source)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	for range 2 {
		one := <-got
		if one.service != "salt-master" || one.id != "top" || !one.names["mom_jobs_open"] || !one.names["mom_info"] {
			t.Fatalf("%+v", one)
		}
	}
	waiting.Until(t, "the source works", works.Load)
	cancel()
	if err := <-ended; err != nil || works.Load() {
		t.Error(err, works.Load())
	}
	if Idle([]Source{source})[0].Run != nil || source.Run == nil {
		t.Error("sources of a second reader work too")
	}
}

// An exporter that does not push is an error that names it.
func TestPusher_Exporter(t *testing.T) {
	if _, err := NewPusher(t.Context(), config.Metrics{Collector: config.Collector{Exporter: "prometheus"}}, "master", "top", "1.0"); err == nil {
		t.Error("taken")
	}
}
