package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Source is a part of a daemon that has figures.
type Source struct {
	// Collect writes them down; it is called at each scrape and has to be quick.
	Collect func(*Sink)
	// Run counts what cannot be read later, until ctx ends. nil: nothing.
	Run Runner
	// Checks tell whether the part works. nil: it always does.
	Checks Checker
}

// Sink takes the figures of one scrape.
type Sink struct{ out chan<- prometheus.Metric }

// Set writes one figure. The name has to be in the table, with as many labels;
// anything else is a mistake in the program.
func (s *Sink) Set(name string, value float64, labels ...string) {
	m := lookup(name)
	kind := prometheus.GaugeValue
	if m.Kind == Counter {
		kind = prometheus.CounterValue
	}
	s.out <- prometheus.MustNewConstMetric(m.desc, kind, value, labels...)
}

// Count is Set for a whole number.
func (s *Sink) Count(name string, value uint64, labels ...string) {
	s.Set(name, float64(value), labels...)
}

// Flag is Set for a yes or no: 1 or 0.
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

// collector shows sources to a registry. It describes nothing beforehand: what
// there is depends on the configuration.
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
