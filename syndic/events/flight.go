package events

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/syndic/link"
)

// maxUrgentRequests bounds the requests with urgent events in flight to one parent. Two let a job
// proceed while another job's answer is outstanding. More would gain little, since events that
// arrive meanwhile share the next request, and would load a slow parent further.
const maxUrgentRequests = 2

// send sends queued events until ctx ends: urgent events and full batches at once, others
// syndic_event_forward_timeout after the first of them.
func (u *Uplink) send(ctx context.Context) {
	gather, again := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer gather.Stop()
	defer again.Stop()
	landed := make(chan error)
	var wg sync.WaitGroup
	defer wg.Wait()
	retry := u.o.Pace.Backoff()
	armed, resting := false, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.some:
			if !armed {
				gather.Reset(u.o.Gather)
				armed = true
			}
			continue
		case <-gather.C:
			armed = false
		case <-u.kick:
		case <-u.back:
			resting = false
		case <-again.C:
			resting = false
		case err := <-landed:
			if err == nil {
				retry.Reset()
			} else if ctx.Err() == nil && !resting {
				resting = true
				wait := retry.Wait()
				again.Reset(wait)
				u.o.Log.Warn("events not sent to parent", "err", err, "retry_in", wait)
			}
		}
		for !resting && ctx.Err() == nil && u.o.Parent.IsUp() {
			f, ok := u.next()
			if !ok {
				break
			}
			wg.Go(func() {
				select {
				case landed <- u.deliver(ctx, f):
				case <-ctx.Done():
				}
			})
		}
	}
}

// next takes a batch that can be sent now.
func (u *Uplink) next() (f outgoing, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if lost := u.urgent.takeLost() + u.answers.takeLost() + u.normal.takeLost(); lost > 0 {
		u.dropped.Add(lost)
		u.o.Log.Error("events dropped: queue to parent full", "count", lost)
	}
	a, b := &u.inFlight, u.o.Bounds
	fits := room{events: b.ReportBatch, bytes: b.ReportBatchBytes, values: b.ReportBatchValues}
	if a.urgent < maxUrgentRequests {
		busy := func(e bus.Event) bool { return a.jobs[JobOf(e.Tag)] }
		for _, q := range []*queue{&u.answers, &u.urgent} {
			f = outgoing{batch: q.takeBut(busy, fits), from: q, urgent: true}
			if len(f.batch) == 0 {
				continue
			}
			// The end of a job with lost reports does not count; it is reported again.
			taken := len(f.batch)
			//mutant:lost-reports-hold-the-end
			f.batch = slices.DeleteFunc(f.batch, func(e bus.Event) bool { return isEnd(e) && !u.reporter.counts(e) })
			//mutant:engine-room-by-an-end
			if len(f.batch) < taken { // the queue may have room now, and the request may take long
				link.Signal(u.reporter.kick)
			}
			a.urgent++
			a.set(f, true)
			return f, true
		}
	}
	if !a.normal {
		f = outgoing{batch: u.normal.take(fits), from: &u.normal}
		a.normal = len(f.batch) > 0
		return f, a.normal
	}
	return f, false
}

// deliver sends a batch. Events that the parent refuses are dropped; if it does not answer, the
// events return to their queue.
func (u *Uplink) deliver(ctx context.Context, f outgoing) error {
	reports, ends := f.batch, []bus.Event(nil) // of closed jobs, behind their reports
	if f.urgent {
		reports, ends = split(f.batch)
	}
	var rest []bus.Event
	var err error
	if len(reports) > 0 {
		rest, err = u.sender.send(ctx, reports)
	}
	if err == nil {
		u.acknowledge(ends)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		f.from.putBack(append(rest, ends...))
	}
	if f.urgent {
		u.inFlight.urgent--
		u.inFlight.set(f, false)
		link.Signal(u.reporter.kick)
	} else {
		u.inFlight.normal = false
	}
	return err
}

func split(batch []bus.Event) (reports, ends []bus.Event) {
	for _, e := range batch {
		if isEnd(e) {
			ends = append(ends, e)
		} else {
			reports = append(reports, e)
		}
	}
	return reports, ends
}

// acknowledge notes that the parent has accepted all reports of closed jobs.
func (u *Uplink) acknowledge(ends []bus.Event) {
	for _, e := range ends {
		if c, ok := End(e); ok {
			u.o.Ack(c)
		}
	}
}
