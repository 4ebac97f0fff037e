package collector

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

// span is one that the collector has taken.
type span struct {
	service, instance       string
	name, trace, id, parent string
	begun                   time.Time
	took                    time.Duration
	failed                  bool
	attrs                   map[string]any
}

// taken is what the collector has taken so far. The zero value is ready.
type taken struct {
	mu      sync.Mutex
	all     []span
	metrics map[string]bool // "instance name"
}

func (s *taken) take(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range td.ResourceSpans().All() {
		from := func(name string) string {
			v, _ := r.Resource().Attributes().Get(name)
			return v.AsString()
		}
		for _, scope := range r.ScopeSpans().All() {
			for _, x := range scope.Spans().All() {
				s.all = append(s.all, span{
					service: from("service.name"), instance: from("service.instance.id"), name: x.Name(), trace: x.TraceID().String(), id: x.SpanID().String(), parent: x.ParentSpanID().String(),
					begun: x.StartTimestamp().AsTime(), took: x.EndTimestamp().AsTime().Sub(x.StartTimestamp().AsTime()),
					failed: x.Status().Code() == ptrace.StatusCodeError, attrs: x.Attributes().AsRaw(),
				})
			}
		}
	}
	return nil
}

// of gives the spans of one trace, by "instance name", and their ids.
func (s *taken) of(trace string) (byName map[string][]span, byID map[string]span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byName, byID = map[string][]span{}, map[string]span{}
	for _, x := range s.all {
		if x.trace == trace {
			key := x.instance + " " + x.name
			byName[key] = append(byName[key], x)
			byID[x.id] = x
		}
	}
	return byName, byID
}

func (s *taken) takeMetrics(_ context.Context, md pmetric.Metrics) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metrics == nil {
		s.metrics = map[string]bool{}
	}
	for _, r := range md.ResourceMetrics().All() {
		id, _ := r.Resource().Attributes().Get("service.instance.id")
		for _, scope := range r.ScopeMetrics().All() {
			for _, m := range scope.Metrics().All() {
				s.metrics[id.AsString()+" "+m.Name()] = true
			}
		}
	}
	return nil
}

// has reports whether a daemon has sent a metric.
func (s *taken) has(instance, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.metrics[instance+" "+name]
}

// listen runs the collector's OTLP receiver and gives its URL.
func listen(t *testing.T, into *taken) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	f := otlpreceiver.NewFactory()
	conf := f.CreateDefaultConfig()
	err = confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": addr}}}).Unmarshal(conf)
	if err != nil {
		t.Fatal(err)
	}
	next, err := consumer.NewTraces(into.take)
	if err != nil {
		t.Fatal(err)
	}
	set := receiver.Settings{ID: component.NewID(f.Type()), TelemetrySettings: componenttest.NewNopTelemetrySettings(), BuildInfo: component.NewDefaultBuildInfo()}
	r, err := f.CreateTraces(t.Context(), set, conf, next)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := consumer.NewMetrics(into.takeMetrics)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.CreateMetrics(t.Context(), set, conf, figures); err != nil { // of the same listener
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return "http://" + addr
}
