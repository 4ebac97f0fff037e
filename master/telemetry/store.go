package telemetry

import (
	"context"
	"strings"
	"time"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// scrapeTime bounds what is read from the store for one scrape.
const scrapeTime = 5 * time.Second

func (c Sources) collectStore(s *metrics.Sink) {
	ctx, cancel := context.WithTimeout(c.Ctx, scrapeTime)
	defer cancel()
	st, err := c.Store.Stats(ctx)
	if err != nil {
		c.Log.Warn("outbox not read for metrics", "err", err)
	}
	jump, _ := c.Ages.Look()
	s.Set("mom_clock_jump_seconds", jump.By.Seconds())
	s.Count("mom_clock_jumps_total", c.Ages.Jumps())
	g := st.Group
	s.Count("mom_store_commits_total", g.Commits)
	s.Count("mom_store_commits_failed_total", g.Failed)
	s.Count("mom_store_rows_total", g.Rows)
	s.Set("mom_store_waiting", float64(g.Waiting))
	s.Set("mom_store_commit_seconds", g.Last.Seconds())
	s.Set("mom_store_commit_max_seconds", g.Slowest.Seconds())
	for _, o := range st.Backlog {
		s.Set("mom_outbox_rows", float64(o.Rows), o.Dest)
		s.Set("mom_outbox_bytes", float64(o.Bytes), o.Dest)
		age := 0.0
		if !o.Oldest.IsZero() {
			age = max(c.Now().Sub(o.Oldest).Seconds(), 0)
		}
		s.Set("mom_outbox_oldest_seconds", age, o.Dest)
	}
	if st.Database != nil {
		collectDatabase(s, *st.Database)
	}
	for _, w := range st.Writers {
		if returners.IsEvents(w.Dest) {
			collectEvents(s, w)
		}
	}
	if st.Events {
		s.Count("mom_event_return_lost_total", st.Lost)
	}
}

// collectEvents reports a returner of event_return. One that cannot be opened is down.
func collectEvents(s *metrics.Sink, w jobstore.WriterStats) {
	d := returners.DrainStats{Down: w.OpenErr != nil}
	if w.Drain != nil {
		d = *w.Drain
	}
	s.Count("mom_event_return_delivered_total", d.Delivered[returners.KindEvent], w.Name)
	s.Count("mom_event_return_rejected_total", d.Rejected, w.Name)
	for class, n := range d.Errors {
		s.Count("mom_event_return_errors_total", n, w.Name, class)
	}
	s.Flag("mom_event_return_up", !d.Down, w.Name)
	s.Set("mom_event_return_last_write_timestamp_seconds", unix(d.LastGood), w.Name)
}

// unix returns a time in seconds, 0 for the zero time.
func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

func collectDatabase(s *metrics.Sink, d returners.DrainStats) {
	for kind, n := range d.Delivered {
		s.Count("mom_database_delivered_total", n, strings.ToLower(kind))
	}
	s.Count("mom_database_batches_total", d.Batches)
	s.Count("mom_database_rejected_total", d.Rejected)
	for class, n := range d.Errors {
		s.Count("mom_database_errors_total", n, class)
	}
	s.Flag("mom_database_up", !d.Down)
	s.Set("mom_database_last_write_timestamp_seconds", unix(d.LastGood))
}
