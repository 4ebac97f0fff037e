package minion

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/metrics"
)

// Metrics are the minion's figures and checks.
func (m *Minion) Metrics() metrics.Source {
	return metrics.Source{Collect: m.collect, Checks: m.checks}
}

func (m *Minion) collect(s *metrics.Sink) {
	metrics.CollectRescues(s, m.rescues)
	for _, l := range m.running() {
		s.Flag("mom_minion_link_up", l.up.is(), l.name)
		rows, bytes := l.outbox.Size()
		s.Set("mom_minion_spool_returns", float64(rows), l.name)
		s.Set("mom_minion_spool_bytes", float64(bytes), l.name)
	}
	running, waiting, limit := m.jobs.Figures()
	s.Set("mom_minion_jobs_running", float64(running))
	s.Set("mom_minion_jobs_waiting", float64(waiting))
	s.Set("mom_minion_jobs_limit", float64(limit))
	var ipc bus.ServerStats
	if m.ipc != nil {
		ipc = m.ipc.Stats()
	}
	metrics.CollectBus(s, m.bus.Stats(), ipc)
}

// checks tell whether jobs can come and returns can be kept.
func (m *Minion) checks(context.Context) []metrics.Check {
	master := metrics.Check{Name: "master", Reason: "no master is connected"}
	for _, l := range m.running() {
		if l.up.is() {
			master.OK, master.Reason = true, ""
		}
	}
	store := metrics.Check{Name: "store", OK: true}
	if err := crypt.Writable(m.cfg.Cachedir); err != nil {
		store.OK, store.Reason = false, fmt.Sprintf("cachedir takes no files: %v; returns are held in memory and lost with the process, until the disk has room again and is writable", err)
	}
	return []metrics.Check{master, store}
}
