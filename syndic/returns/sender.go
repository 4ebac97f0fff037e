package returns

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/pace"
)

// Sender runs the [Handover] of returns to one parent: it waits, the handover decides. It is
// safe for concurrent use.
type Sender struct {
	debts
	Figures Figures

	back     chan struct{} // the parent is usable again
	sweeps   chan struct{} // it is time to look for rows that were passed over
	handover *Handover

	stuck struct { // a row that waits although nothing is under way
		seq  int64
		seen time.Time
	}
}

// New makes a sender that has sent nothing.
func New(o Options) *Sender {
	s := &Sender{
		debts: debts{o: o, kick: make(chan struct{}, 1), dest: returners.DestParent(o.Addr)},
		back:  make(chan struct{}, 1), sweeps: make(chan struct{}, 1),
	}
	f := HandoverOptions{
		Parent: countedParent{above{&s.o}, &s.Figures}, Name: o.Name, Outbox: countedOutbox{o.Outbox, &s.Figures}, Dests: []string{returners.DestAbove, s.dest},
		Jobs: o.Jobs, ID: o.ID, Remember: o.Config.SyndicJidForwardCacheHwm, Bounds: o.Bounds, Again: o.Pace.RetryMin, Log: o.Log, Body: above{&s.o}.body,
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

// record makes a span in the trace of each job whose returns a request had.
func (s *Sender) record(ctx context.Context, returns map[string]int, begun time.Time, err error) {
	ended := time.Now()
	for jid, n := range returns {
		s.o.Tracer.Record(s.o.Trace(jid).Extract(ctx), "salt.req.send._syndic_return", begun, ended, err,
			attribute.String("salt.jid", jid), attribute.Int("salt.returns", n), attribute.String("salt.master", s.o.Name))
	}
}

// Held counts the rows that wait in memory or are under way.
func (s *Sender) Held() int64 { return s.handover.Held() }

// Back tells that the parent is usable again.
func (s *Sender) Back() { pace.Ring(s.back) }

// Sweep looks for rows that should have been sent, and were not.
func (s *Sender) Sweep() { pace.Ring(s.sweeps) }

// Run sends until ctx ends, whenever it is kicked.
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
		if err := s.owe(ctx); err != nil {
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

// sweep looks for rows that should have been sent. What it finds is counted and
// told: the window does not pass a row that is not done.
func (s *Sender) sweep(ctx context.Context) {
	found, err := s.handover.Look(ctx)
	if err != nil {
		return // whoever reads the outbox next tells of it
	}
	if found.Again {
		time.AfterFunc(LookAgain, func() { pace.Ring(s.sweeps) })
	}
	const by = "forwarding sweep"
	if found.Rows > 0 {
		s.o.Rescues.Found(by, fmt.Sprint(found.Rows, " returns that were passed over"), s.o.Pace.Sweep, "parent", s.o.Name, "jid", found.Passed.JID, "row", found.Passed.Seq)
	}
	// A row that came just now waits for its batch. One that was there at the last
	// look, longer ago than that takes, has been forgotten.
	now := time.Now()
	was := s.stuck
	if s.stuck.seq = found.Next.Seq; found.Next.Seq == 0 || found.Next.Seq != was.seq {
		s.stuck.seen = now
		return
	}
	if waits := now.Sub(was.seen); waits > max(2*s.o.Config.SyndicEventForwardTimeout, s.o.Pace.Sweep/2) {
		s.o.Rescues.Found(by, "a return that nobody sent", waits, "parent", s.o.Name, "jid", found.Next.JID, "row", found.Next.Seq)
	}
}
