package api

import (
	"context"
	"strconv"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/internal/metrics"
)

// Metrics returns the metrics of the listeners of a process and of the hub that they share. Its
// check is whether the master answers.
func Metrics(b Backend, hub *stream.Hub, servers ...*Server) metrics.Source {
	return metrics.Source{
		Collect: func(to *metrics.Sink) {
			f := hub.Figures()
			to.Count("mom_api_events_total", f.Events)
			to.Set("mom_api_event_readers", float64(f.Readers))
			to.Count("mom_api_event_readers_cut_total", f.Cut)
			to.Set("mom_api_events_kept", float64(f.Kept))
			for _, s := range servers {
				name := string(s.dialect)
				to.Set("mom_api_requests_at_work", float64(s.handlers.stats.budget.inProgress()), name)
				to.Set("mom_api_streams", float64(s.handlers.stats.streams.open.Load()), name)
				for class := range s.handlers.stats.figures.answered {
					if n := s.handlers.stats.figures.answered[class].Load(); n > 0 {
						to.Count("mom_api_requests_total", n, name, strconv.Itoa(class)+"xx")
					}
				}
			}
		},
		Checks: func(ctx context.Context) []metrics.Check {
			c := metrics.Check{Name: "master", OK: true}
			if err := b.Ping(ctx); err != nil {
				c.OK, c.Reason = false, err.Error()
			}
			return []metrics.Check{c}
		},
	}
}
