package metrics

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Kind is the Prometheus type of a metric.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	histogram Kind = "histogram"
)

// Where names the daemons that have a metric.
type Where string

// The places.
const (
	Everywhere Where = "all"
	Nodes      Where = "master, syndic"
	Databases  Where = "master, syndic with a database"
	Brokers    Where = "master, syndic with event_return"
	Syndics    Where = "syndic"
	Minions    Where = "minion"
	APIs       Where = "api"
)

// Metric is a row of the table.
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

// All returns all metrics except those of the Go runtime and the process.
func All() []Metric { return slices.Clone(all) }

var table = sync.OnceValue(func() map[string]*metric {
	out := make(map[string]*metric, len(all))
	for _, m := range all {
		out[m.Name] = &metric{m, prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)}
	}
	return out
})
