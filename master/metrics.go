package master

import (
	"context"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/master/telemetry"
)

// Metrics returns the master's metrics and health checks.
func (m *Master) Metrics() metrics.Source {
	jobs := telemetry.NewJobs()
	parts := telemetry.Sources{
		Ctx: m.ctx, Log: m.log, Now: m.now, Stats: m.Stats, Commands: m.server.Served(), SignIns: &m.signedIn,
		Ledger: m.jobs, Keys: m.keys, Presence: m.presence, Tree: m.tree, Store: m.store, Ages: m.ages, Bus: m.bus, IPC: m.ipc,
	}
	return metrics.Source{
		Collect: func(s *metrics.Sink) {
			parts.Collect(s)
			metrics.CollectRescues(s, m.rescues)
			jobs.Collect(s)
			collectReactor(s, m.reactor.Counts())
			collectFiles(s, m.files)
			m.collectCluster(s)
		},
		Run:    func(ctx context.Context) { jobs.Run(ctx, m.bus) },
		Checks: m.checks,
	}
}

// collectReactor writes the metrics of the reactor.
func collectReactor(s *metrics.Sink, c reactor.Counts) {
	for what, n := range map[string]uint64{
		"event": c.Events, "begun": c.Begun, "failed": c.Failed, "cut": c.Cut, "dropped": c.Dropped, "missed": c.Missed,
	} {
		s.Count("mom_reactor_total", n, what)
	}
	s.Set("mom_reactor_waiting", float64(c.Waiting))
}

// collectFiles writes the metrics of the file server.
func collectFiles(s *metrics.Sink, f *files.Server) {
	c := f.Counts()
	for what, n := range map[string]uint64{"served": c.Chunks.Load(), "hashed": c.Hashed.Load(), "received": c.Received.Load()} {
		s.Count("mom_files_total", n, what)
	}
	s.Count("mom_files_bytes_total", c.Bytes.Load())
	waiting, now, most := f.Waiting()
	s.Set("mom_files_waiting", float64(waiting))
	s.Set("mom_files_bytes", float64(now))
	s.Set("mom_files_bytes_most", float64(most))
}

// Stats returns the counters.
func (m *Master) Stats() telemetry.Stats {
	st := m.stats.Read()
	st.KeptPublications, st.KeptBytes, st.DroppedPublications = m.publications.Size()
	st.Trespasses, st.SignInsWaiting = m.policy.Counts(), m.server.Waiting()
	st.TurnedAway = m.server.Turned.Counts()
	st.Router, st.Pub = m.ports.Router.Stats(), m.ports.Pub.Stats()
	return st
}

// checks reports whether the master can serve minions and clients.
func (m *Master) checks(ctx context.Context) []metrics.Check {
	serving := metrics.Check{Name: "serving", Reason: "the master is starting or shutting down"}
	select {
	case <-m.server.Opened():
		if serving.OK = m.ctx.Err() == nil; serving.OK {
			serving.Reason = ""
		}
	default:
	}
	store := metrics.Check{Name: "store", OK: true}
	if err := m.store.Writable(ctx); err != nil {
		store.OK, store.Reason = false, err.Error()
	} else if err := m.disk(); err != nil {
		store.OK, store.Reason = false, err.Error()
	}
	return []metrics.Check{serving, store}
}
