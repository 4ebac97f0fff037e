package metrics

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Kind is what a metric is to Prometheus.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	histogram Kind = "histogram"
)

// Where tells which daemons have a metric.
type Where string

// The places.
const (
	Everywhere Where = "all"
	Nodes      Where = "master, syndic"
	Databases  Where = "master, syndic with a database"
	Syndics    Where = "syndic"
	Minions    Where = "minion"
	APIs       Where = "api"
)

// Metric is one row of the table.
type Metric struct {
	Name   string
	Kind   Kind
	Where  Where
	Labels []string
	Help   string
}

type metric struct {
	Metric
	desc *prometheus.Desc
}

// All lists all metrics but those of the Go runtime and the process.
func All() []Metric { return slices.Clone(all) }

var table = sync.OnceValue(func() map[string]*metric {
	out := make(map[string]*metric, len(all))
	for _, m := range all {
		out[m.Name] = &metric{m, prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)}
	}
	return out
})
