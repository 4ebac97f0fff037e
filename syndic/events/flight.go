package events

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/syndic/pace"
)

// mostAloft is how many requests with urgent words may be under way to one parent:
// a job need not wait for the answer to what another one had to say. More would gain
// little, for what comes meanwhile travels together, and a parent that is slow would
// be given more to do at once.
const mostAloft = 2

// send sends what waits syndic_event_forward_timeout after the first of it, or at
// once when it is urgent or much, until ctx ends.
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
			f, ok := u.depart()
			if !ok {
				break
			}
			wg.Go(func() {
				select {
				case landed <- u.fly(ctx, f):
				case <-ctx.Done():
				}
			})
		}
	}
}

// depart takes what can be sent now.
func (u *Uplink) depart() (f flight, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if lost := u.urgent.takeLost() + u.answers.takeLost() + u.news.takeLost(); lost > 0 {
		u.dropped.Add(lost)
		u.o.Log.Error("events dropped: queue to parent full", "count", lost)
	}
	a, b := &u.aloft, u.o.Bounds
	fits := room{events: b.TellBatch, bytes: b.TellBatchBytes, values: b.TellBatchValues}
	if a.urgent < mostAloft {
		busy := func(e bus.Event) bool { return a.jobs[JobOf(e.Tag)] }
		for _, q := range []*queue{&u.answers, &u.urgent} {
			f = flight{batch: q.takeBut(busy, fits), from: q, urgent: true}
			if len(f.batch) == 0 {
				continue
			}
			// Of a job whose words were lost the end does not count: it is told again.
			taken := len(f.batch)
			//mutant:lost-reports-hold-the-end
			f.batch = slices.DeleteFunc(f.batch, func(e bus.Event) bool { return isEnd(e) && !u.teller.counts(e) })
			//mutant:engine-room-by-an-end
			if len(f.batch) < taken { // there may be room now, and the parent may take its time
				pace.Ring(u.teller.kick)
			}
			a.urgent++
			a.set(f, true)
			return f, true
		}
	}
	if !a.news {
		f = flight{batch: u.news.take(fits), from: &u.news}
		a.news = len(f.batch) > 0
		return f, a.news
	}
	return f, false
}

// fly sends a batch. Events that the parent refuses are lost, those of a parent
// that does not answer wait.
func (u *Uplink) fly(ctx context.Context, f flight) error {
	words, ends := f.batch, []bus.Event(nil) // of closed jobs, behind the words about them
	if f.urgent {
		words, ends = split(f.batch)
	}
	var rest []bus.Event
	var err error
	if len(words) > 0 {
		rest, err = u.requests.hand(ctx, words)
	}
	if err == nil {
		u.ended(ends)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		f.from.putBack(append(rest, ends...))
	}
	if f.urgent {
		u.aloft.urgent--
		u.aloft.set(f, false)
		pace.Ring(u.teller.kick)
	} else {
		u.aloft.news = false
	}
	return err
}

func split(batch []bus.Event) (words, ends []bus.Event) {
	for _, e := range batch {
		if isEnd(e) {
			ends = append(ends, e)
		} else {
			words = append(words, e)
		}
	}
	return words, ends
}

// ended notes that the parent has taken all words of closed jobs.
func (u *Uplink) ended(ends []bus.Event) {
	for _, e := range ends {
		if c, ok := End(e); ok {
			u.o.Took(c)
		}
	}
}
