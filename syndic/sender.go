package syndic

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/forwarding"
)

// sender drives the hand-over of returns to one master above: it waits, the
// decisions are those of syndic/forwarding.
type sender struct {
	l      *link
	kick   chan struct{}
	back   chan struct{} // the parent is usable again
	sweeps chan struct{} // it is time to look for rows that were passed over
	over   *forwarding.Sender
	dest   string // what this master alone is owed

	mu    sync.Mutex
	asked []string // jids whose stored returns it is owed
	more  bool     // and there are others

	stuck struct { // a row that waits although nothing is under way
		seq  int64
		seen time.Time
	}
}

func newSender(l *link) *sender {
	local := l.s.cfg.Local
	s := &sender{
		l: l, kick: make(chan struct{}, 1), back: make(chan struct{}, 1), sweeps: make(chan struct{}, 1),
		dest: returners.DestParent(l.ch.Addr()),
	}
	o := forwarding.Options{
		Parent: countedParent{above{l}}, Name: l.name, Outbox: countedOutbox{l.s.local.Outbox(), l}, Dests: []string{returners.DestAbove, s.dest},
		Jobs: l.s.local.Jobs(), ID: l.s.ID(), Remember: local.SyndicJidForwardCacheHwm, Bounds: l.s.bounds, Again: l.s.pace.retryMin, Log: l.log, Body: l.body,
	}
	if local.SyndicMode == "cluster" {
		o.OwnMaster = local.MasterID
	}
	s.over = forwarding.New(o)
	return s
}

// wake has what is owed sent.
func (s *sender) wake() { ring(s.kick) }

// run sends until ctx ends, whenever it is kicked.
func (s *sender) run(ctx context.Context) {
	retry := s.l.s.pace.backoff()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	landed := make(chan forwarding.Landing)
	var flights sync.WaitGroup
	defer flights.Wait()
	pausing := false
	failed := func(err error) {
		if ctx.Err() != nil || pausing {
			return
		}
		pausing = true
		wait := retry.wait()
		again.Reset(wait)
		s.l.log.Warn("Returns could not be handed to the master above; they stay in the outbox", "err", err, "retry_in", wait)
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
		case l := <-landed:
			if l.Taken {
				retry.reset()
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
			f, err := s.over.Depart(ctx)
			if err != nil {
				failed(err)
			}
			if f == nil {
				break
			}
			flights.Go(func() {
				l := s.over.Fly(ctx, f)
				select {
				case landed <- l:
				case <-ctx.Done():
				}
			})
		}
		if at, ok := s.over.Due(); ok && !pausing && s.l.isUp() {
			again.Reset(time.Until(at))
		}
	}
}

// again has this parent owed the returns of a job that another one has had.
func (s *sender) again(jid string) {
	s.mu.Lock()
	if s.more = len(s.asked) >= s.l.s.bounds.AskedJobs; !s.more {
		s.asked = append(s.asked, jid)
	}
	s.mu.Unlock()
	ring(s.kick)
}

// later has this parent owed the returns of a job when there is room for them among what
// it is owed: they are in the job store, so that no more than the jid is kept. false: too
// many jobs are kept so.
func (s *sender) later(jid string) bool {
	s.mu.Lock() // until both are known: oweNow may be at work on the job
	held, fresh := s.l.s.parents.origins.owe(s.l.ch.Addr(), jid)
	if held && !s.comes(jid) {
		s.asked = append(s.asked, jid)
	}
	s.mu.Unlock()
	if fresh { // stored after what oweNow removes, it has the returns given once more after a restart
		if err := s.l.s.parents.origins.note(context.Background(), owedJob{s.l.ch.Addr(), jid}.note()); err != nil {
			s.l.log.Error("Returns may not be given to the master above if this node is restarted before", "jid", jid, "err", err)
		}
	}
	ring(s.kick)
	return held
}

// comes tells whether a job will be owed that is not being owed just now. The caller
// holds mu.
func (s *sender) comes(jid string) bool {
	return len(s.asked) > 1 && slices.Contains(s.asked[1:], jid)
}

// full tells how many rows this parent is owed by name, and whether it is owed no more.
func (s *sender) full() (rows int64, full bool) {
	rows, bytes := s.l.s.local.Outbox().OutboxSize(s.dest)
	conf := s.l.s.cfg.Local
	return rows, rows >= int64(conf.OutboxMaxRows) || bytes >= conf.OutboxMaxBytes
}

// owe has the outbox owe this parent what is stored of the jobs that it asked for
// after others, as far as there is room.
func (s *sender) owe(ctx context.Context) error {
	for {
		if _, full := s.full(); full { // it is looked again when rows have landed
			return nil
		}
		s.mu.Lock()
		if len(s.asked) == 0 && s.more {
			s.asked, s.more = s.l.s.parents.origins.owing(s.l.ch.Addr()), false
		}
		if len(s.asked) == 0 {
			s.mu.Unlock()
			return nil
		}
		jid := s.asked[0]
		s.mu.Unlock()
		if err := s.oweNow(ctx, jid); err != nil {
			return err
		}
		s.mu.Lock()
		s.asked = s.asked[1:]
		s.mu.Unlock()
	}
}

// oweNow owes this parent what is stored of one job, and notes that nothing of the
// kind is to be done for it any more.
func (s *sender) oweNow(ctx context.Context, jid string) error {
	n, err := s.l.s.local.Outbox().OutboxOwe(ctx, s.dest, jid)
	if err != nil {
		return fmt.Errorf("owe the returns of job %s to a further master above: %w", jid, err)
	}
	var over []returners.Note
	s.mu.Lock()
	if !s.comes(jid) {
		over = s.l.s.parents.origins.given(s.l.ch.Addr(), jid)
	}
	s.mu.Unlock()
	if err := s.l.s.parents.origins.note(ctx, over...); err != nil {
		s.l.log.Warn("Returns will be given to the master above once more after a restart", "jid", jid, "err", err)
	}
	if n > 0 {
		s.wake()
	}
	return nil
}

// sweep looks for rows that should have been sent. What it finds is counted and
// told: the window does not pass a row that is not done.
func (s *sender) sweep(ctx context.Context) {
	found, err := s.over.Sweep(ctx)
	if err != nil {
		return // whoever reads the outbox next tells of it
	}
	if found.Again {
		time.AfterFunc(forwarding.LookAgain, func() { ring(s.sweeps) })
	}
	const by = "forwarding sweep"
	if found.Rows > 0 {
		s.l.s.rescues.Found(by, fmt.Sprint(found.Rows, " returns that were passed over"), s.l.s.pace.sweep, "parent", s.l.name, "jid", found.Passed.JID, "row", found.Passed.Seq)
	}
	// A row that came just now waits for its batch. One that was there at the last
	// look, longer ago than that takes, has been forgotten.
	now := time.Now()
	was := s.stuck
	if s.stuck.seq = found.Next.Seq; found.Next.Seq == 0 || found.Next.Seq != was.seq {
		s.stuck.seen = now
		return
	}
	if waits := now.Sub(was.seen); waits > max(2*s.l.s.cfg.Local.SyndicEventForwardTimeout, s.l.s.pace.sweep/2) {
		s.l.s.rescues.Found(by, "a return that nobody sent", waits, "parent", s.l.name, "jid", found.Next.JID, "row", found.Next.Seq)
	}
}

// above is a link as forwarding sees it.
type above struct{ l *link }

func (a above) IsUp() bool              { return a.l.isUp() }
func (a above) IsResting() bool         { return a.l.isResting() }
func (a above) SetResting(resting bool) { a.l.rest(resting) }
func (a above) Shifts() uint64          { return a.l.s.returns.shifts.Load() }

// Abreast: a master of ours takes several requests at a time, whatever jobs they are
// about. Any other one is asked for two, and hears the returns of a job in their order.
func (a above) Abreast() (requests int, apart bool) {
	most := a.l.s.bounds.ForwardRequests
	if a.l.ours.Load() {
		return most, false
	}
	return min(most, otherAbreast), true
}

// otherAbreast is how many requests with returns may be under way to a master that is
// not one of ours.
const otherAbreast = 2

func (a above) Owns(it returners.Item) bool {
	return it.Dest != returners.DestAbove || a.l.s.parents.owns(a.l, it)
}

func (a above) Others(it returners.Item) []string {
	if it.Dest != returners.DestAbove {
		return nil
	}
	return a.l.s.parents.others(a.l, it)
}

// Owes wakes the sender of another parent.
func (a above) Owes(dest string) {
	for _, l := range a.l.s.parents.all() {
		if l.returns.dest == dest {
			l.returns.wake()
		}
	}
}

func (a above) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.l.request(ctx, load)
}
