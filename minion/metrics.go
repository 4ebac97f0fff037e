package minion

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/metrics"
)

// Metrics returns the minion's metrics and checks.
func (m *Minion) Metrics() metrics.Source {
	return metrics.Source{Collect: m.collect, Checks: m.checks}
}

func (m *Minion) collect(to *metrics.Sink) {
	for _, s := range m.sessions.Serving() {
		to.Flag("mom_minion_link_up", s.Up(), s.Name())
		rows, bytes := s.Outbox().Size()
		to.Set("mom_minion_spool_returns", float64(rows), s.Name())
		to.Set("mom_minion_spool_bytes", float64(bytes), s.Name())
	}
	running, waiting, limit := m.jobs.Figures()
	to.Set("mom_minion_jobs_running", float64(running))
	to.Set("mom_minion_jobs_waiting", float64(waiting))
	to.Set("mom_minion_jobs_limit", float64(limit))
	var ipc bus.ServerStats
	if m.ipc != nil {
		ipc = m.ipc.Stats()
	}
	metrics.CollectBus(to, m.bus.Stats(), ipc)
}

// checks report whether jobs can arrive and returns can be stored.
func (m *Minion) checks(context.Context) []metrics.Check {
	master := metrics.Check{Name: "master", Reason: "no master is connected"}
	for _, s := range m.sessions.Serving() {
		if s.Up() {
			master.OK, master.Reason = true, ""
		}
	}
	store := metrics.Check{Name: "store", OK: true}
	if err := durable.Writable(m.cfg.Cachedir); err != nil {
		store.OK, store.Reason = false, fmt.Sprintf("cachedir takes no files: %v; returns are held in memory and lost with the process, until the disk has room again and is writable", err)
	}
	return []metrics.Check{master, store}
}
