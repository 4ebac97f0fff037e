package syndic

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// linkFigures counts what goes over one link.
type linkFigures struct {
	batches, failed        atomic.Uint64
	acknowledged, rejected atomic.Uint64
	dropped                atomic.Uint64 // events
}

// countedParent counts the requests with returns.
type countedParent struct{ above }

func (c countedParent) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	v, err := c.above.Request(ctx, load)
	f := &c.l.figures
	f.batches.Add(1)
	if verdict(v, err) != nil {
		f.failed.Add(1)
	}
	return v, err
}

// countedOutbox counts the rows that are done.
type countedOutbox struct {
	returners.SharedOutbox
	l *link
}

func (c countedOutbox) OutboxMove(ctx context.Context, dest string, rows []returners.Move) error {
	err := c.SharedOutbox.OutboxMove(ctx, dest, rows)
	if err == nil {
		c.l.figures.acknowledged.Add(uint64(len(rows)))
	}
	return err
}

func (c countedOutbox) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	err := c.SharedOutbox.OutboxReject(ctx, dest, seq, reason)
	if err == nil {
		c.l.figures.rejected.Add(1)
	}
	return err
}

// Metrics are the forwarder's figures and checks.
func (s *Syndic) Metrics() metrics.Source {
	return metrics.Source{Collect: s.collect, Checks: s.checks}
}

func (s *Syndic) collect(out *metrics.Sink) {
	if s.ownRescues {
		metrics.CollectRescues(out, s.rescues)
	}
	for _, l := range s.parents.all() {
		f := &l.figures
		out.Flag("mom_syndic_link_up", l.isUp(), l.name)
		out.Flag("mom_syndic_link_resting", l.isResting(), l.name)
		out.Count("mom_syndic_batches_total", f.batches.Load(), l.name)
		out.Count("mom_syndic_batches_failed_total", f.failed.Load(), l.name)
		out.Count("mom_syndic_rows_acknowledged_total", f.acknowledged.Load(), l.name)
		out.Count("mom_syndic_rows_rejected_total", f.rejected.Load(), l.name)
		out.Count("mom_syndic_events_dropped_total", f.dropped.Load(), l.name)
		u := l.events
		u.mu.Lock()
		urgent, urgentBytes, news, newsBytes := u.urgent.len()+u.answers.len(), u.urgent.bytes+u.answers.bytes, u.news.len(), u.news.bytes
		u.mu.Unlock()
		out.Set("mom_syndic_events_waiting", float64(urgent), l.name, "urgent")
		out.Set("mom_syndic_events_waiting", float64(news), l.name, "news")
		out.Set("mom_syndic_event_bytes_waiting", float64(urgentBytes), l.name, "urgent")
		out.Set("mom_syndic_event_bytes_waiting", float64(newsBytes), l.name, "news")
	}
}

// checks tell whether one of the masters above is there.
func (s *Syndic) checks(context.Context) []metrics.Check {
	c := metrics.Check{Name: "parent"}
	names := []string{}
	for _, l := range s.parents.all() {
		names = append(names, l.name)
		c.OK = c.OK || l.isUp()
	}
	if !c.OK {
		c.Reason = fmt.Sprintf("no master above is connected (%q)", names)
	}
	return []metrics.Check{c}
}
