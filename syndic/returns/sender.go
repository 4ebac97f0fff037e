package returns

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// Sender runs the [Handover] of one parent. It is safe for concurrent use.
type Sender struct {
	backlog
	Figures Figures

	back     chan struct{} // the parent is usable again
	sweeps   chan struct{} // run sweep
	handover *Handover

	stuck struct { // unread row while nothing is in flight
		seq  int64
		seen time.Time
	}
}

// New returns a Sender; Run starts it.
func New(o Options) *Sender {
	s := &Sender{
		backlog: backlog{o: o, kick: make(chan struct{}, 1), dest: returners.DestParent(o.Addr)},
		back:    make(chan struct{}, 1), sweeps: make(chan struct{}, 1),
	}
	f := HandoverOptions{
		Parent: countedParent{parent{&s.o}, &s.Figures}, Name: o.Name, Outbox: countedOutbox{o.Outbox, &s.Figures}, Dests: []string{returners.DestAbove, s.dest},
		Jobs: o.Jobs, ID: o.ID, Remember: o.Config.SyndicJidForwardCacheHwm, Bounds: o.Bounds, Again: o.Pace.RetryMin, Log: o.Log, Body: parent{&s.o}.body,
	}
	if o.Tracer.On() && o.Trace != nil {
		f.Sent = s.record
	}
	if o.Config.SyndicMode == "cluster" {
		f.OwnMaster = o.Config.MasterID
	}
	s.handover = NewHandover(f)
	return s
}

// record adds a span to the trace of each job whose returns a request had.
func (s *Sender) record(ctx context.Context, returns map[string]int, begun time.Time, err error) {
	ended := time.Now()
	for jid, n := range returns {
		s.o.Tracer.Record(s.o.Trace(jid).Extract(ctx), "salt.req.send._syndic_return", begun, ended, err,
			attribute.String("salt.jid", jid), attribute.Int("salt.returns", n), attribute.String("salt.master", s.o.Name))
	}
}

// Held returns the number of rows in memory that wait or are in flight.
func (s *Sender) Held() int64 { return s.handover.Held() }

// Back reports that the parent is usable again, and ends the wait before the next retry.
func (s *Sender) Back() { link.Signal(s.back) }

// Sweep starts a search for rows that should have been sent.
func (s *Sender) Sweep() { link.Signal(s.sweeps) }

// Run sends whenever it is woken, until ctx ends.
func (s *Sender) Run(ctx context.Context) {
	retry := s.o.Pace.Backoff()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	done := make(chan Result)
	var requests sync.WaitGroup
	defer requests.Wait()
	pausing := false
	failed := func(err error) {
		if ctx.Err() != nil || pausing {
			return
		}
		pausing = true
		wait := retry.Wait()
		again.Reset(wait)
		s.o.Log.Warn("returns not sent to parent, kept in the outbox", "err", err, "retry_in", wait)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-s.sweeps:
			s.sweep(ctx)
		case <-s.back:
			pausing = false
		case <-again.C:
			pausing = false
		case l := <-done:
			if l.Taken {
				retry.Reset()
				pausing = false
			}
			if l.Err != nil {
				failed(l.Err)
			}
		}
		if err := s.backfill(ctx); err != nil {
			failed(err)
		}
		for !pausing && ctx.Err() == nil {
			f, err := s.handover.Next(ctx)
			if err != nil {
				failed(err)
			}
			if f == nil {
				break
			}
			requests.Go(func() {
				l := s.handover.Send(ctx, f)
				select {
				case done <- l:
				case <-ctx.Done():
				}
			})
		}
		if at, ok := s.handover.Due(); ok && !pausing && s.o.Parent.IsUp() {
			again.Reset(time.Until(at))
		}
	}
}

// sweep searches for rows that should have been sent. It counts what it finds as a rescue: the
// window does not pass rows that are not done.
func (s *Sender) sweep(ctx context.Context) {
	found, err := s.handover.Look(ctx)
	if err != nil {
		return // the next read of the outbox logs it
	}
	if found.Again {
		time.AfterFunc(LookAgain, func() { link.Signal(s.sweeps) })
	}
	const by = "forwarding sweep"
	if found.Rows > 0 {
		s.o.Rescues.Found(by, fmt.Sprint(found.Rows, " unsent returns"), s.o.Pace.Sweep, "parent", s.o.Name, "jid", found.Passed.JID, "row", found.Passed.Seq)
	}
	// A row that just arrived waits for its batch. One seen at an earlier sweep, longer ago than
	// batches wait, was forgotten.
	now := time.Now()
	was := s.stuck
	if s.stuck.seq = found.Next.Seq; found.Next.Seq == 0 || found.Next.Seq != was.seq {
		s.stuck.seen = now
		return
	}
	if waits := now.Sub(was.seen); waits > max(2*s.o.Config.SyndicEventForwardTimeout, s.o.Pace.Sweep/2) {
		s.o.Rescues.Found(by, "an unsent return", waits, "parent", s.o.Name, "jid", found.Next.JID, "row", found.Next.Seq)
	}
}
