package syndic

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/metrics"
)

// Metrics returns the forwarder's metrics and health checks.
func (s *Syndic) Metrics() metrics.Source {
	return metrics.Source{Collect: s.collect, Checks: s.checks}
}

// normalQueue is the label of the queue of all events that are not urgent.
const normalQueue = "news"

func (s *Syndic) collect(out *metrics.Sink) {
	if s.ownRescues {
		metrics.CollectRescues(out, s.rescues)
	}
	for _, l := range s.parents.all() {
		f, waits := &l.returns.Figures, l.events.Load()
		out.Flag("mom_syndic_link_up", l.IsUp(), l.name)
		out.Flag("mom_syndic_link_resting", l.IsResting(), l.name)
		out.Count("mom_syndic_batches_total", f.Batches.Load(), l.name)
		out.Count("mom_syndic_batches_failed_total", f.Failed.Load(), l.name)
		out.Count("mom_syndic_rows_acknowledged_total", f.Acknowledged.Load(), l.name)
		out.Count("mom_syndic_rows_rejected_total", f.Rejected.Load(), l.name)
		out.Count("mom_syndic_events_dropped_total", l.events.Dropped(), l.name)
		out.Set("mom_syndic_events_waiting", float64(waits.Urgent), l.name, "urgent")
		out.Set("mom_syndic_events_waiting", float64(waits.Normal), l.name, normalQueue)
		out.Set("mom_syndic_event_bytes_waiting", float64(waits.UrgentBytes), l.name, "urgent")
		out.Set("mom_syndic_event_bytes_waiting", float64(waits.NormalBytes), l.name, normalQueue)
	}
}

// checks reports whether at least one parent is connected.
func (s *Syndic) checks(context.Context) []metrics.Check {
	c := metrics.Check{Name: "parent"}
	names := []string{}
	for _, l := range s.parents.all() {
		names = append(names, l.name)
		c.OK = c.OK || l.IsUp()
	}
	if !c.OK {
		c.Reason = fmt.Sprintf("no parent is connected (%q)", names)
	}
	return []metrics.Check{c}
}
