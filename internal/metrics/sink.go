package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Source is a part of a daemon with metrics.
type Source struct {
	// Collect writes the metrics. It is called at each scrape and must be fast.
	Collect func(*Sink)
	// Run counts events that cannot be read later, until ctx ends. It may be nil.
	Run Runner
	// Checks report whether the part works. If nil, it always does.
	Checks Checker
}

// Sink receives the metrics of one scrape.
type Sink struct{ out chan<- prometheus.Metric }

// Set writes one value. The name must be in the table, with as many labels; otherwise Set
// panics.
func (s *Sink) Set(name string, value float64, labels ...string) {
	m := lookup(name)
	kind := prometheus.GaugeValue
	if m.Kind == Counter {
		kind = prometheus.CounterValue
	}
	s.out <- prometheus.MustNewConstMetric(m.desc, kind, value, labels...)
}

// Count is Set for an integer.
func (s *Sink) Count(name string, value uint64, labels ...string) {
	s.Set(name, float64(value), labels...)
}

// Flag is Set for a boolean: 1 or 0.
func (s *Sink) Flag(name string, on bool, labels ...string) {
	v := 0.0
	if on {
		v = 1
	}
	s.Set(name, v, labels...)
}

// Observe writes a histogram.
func (s *Sink) Observe(name string, h *Histogram) {
	count, sum, buckets := h.read()
	s.out <- prometheus.MustNewConstHistogram(lookup(name).desc, count, sum, buckets)
}

func lookup(name string) *metric {
	m, ok := table()[name]
	if !ok {
		panic(fmt.Sprintf("metric %s is not in the table", name))
	}
	return m
}

// collector adapts sources to a registry. It describes no metrics beforehand, because they
// depend on the configuration.
type collector struct{ sources []Source }

func (c collector) Describe(chan<- *prometheus.Desc) {}

func (c collector) Collect(out chan<- prometheus.Metric) {
	s := &Sink{out}
	for _, src := range c.sources {
		if src.Collect != nil {
			src.Collect(s)
		}
	}
}
