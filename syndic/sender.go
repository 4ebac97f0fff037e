package syndic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/handover"
)

// sender drives the hand-over of returns to one master above: it waits, the
// decisions are handover's.
type sender struct {
	l    *link
	kick chan struct{}
	back chan struct{} // the parent is usable again
	over *handover.Sender
	side *helper

	mu    sync.Mutex
	asked []string // jids whose returns are given once more
}

// maxAsked bounds the jobs whose returns are given once more.
const maxAsked = rememberedJobs

// again gives this parent the returns of a job that another one has had.
func (s *sender) again(jid string) {
	s.mu.Lock()
	if len(s.asked) < maxAsked {
		s.asked = append(s.asked, jid)
	}
	s.mu.Unlock()
	ring(s.kick)
}

// given notes that the parent has had what was here of a job when it asked.
func (l *link) given(jid string) {
	if err := l.s.parents.origins.given(l.ch.Addr(), jid); err != nil {
		l.log.Warn("Returns will be given to the master above once more after a restart", "jid", jid, "err", err)
	}
}

// giveAgain sends what was asked for; what the parent does not take stays.
func (s *sender) giveAgain(ctx context.Context) error {
	for {
		s.mu.Lock()
		if len(s.asked) == 0 {
			s.mu.Unlock()
			return nil
		}
		jid := s.asked[0]
		s.mu.Unlock()
		rets, err := s.l.s.local.Jobs().GetReturns(ctx, jid)
		if err != nil {
			return fmt.Errorf("returns of job %s: %w", jid, err)
		}
		rows := make([]returners.Item, 0, len(rets))
		for _, r := range rets {
			if len(r.Full) > 0 {
				rows = append(rows, returners.Item{Kind: returners.KindReturn, JID: r.JID, ID: r.ID, Payload: r.Full, Return: &r})
			}
		}
		err = s.over.Again(ctx, rows)
		switch {
		case errors.Is(err, handover.ErrNotTaken):
			s.l.log.Error("The master above refuses the returns of a job that it asked for a second time", "jid", jid, "err", err)
		case err != nil:
			return err
		}
		s.l.given(jid)
		s.mu.Lock()
		s.asked = s.asked[1:]
		s.mu.Unlock()
	}
}

func newSender(l *link) *sender {
	local := l.s.cfg.Local
	s := &sender{l: l, kick: make(chan struct{}, 1), back: make(chan struct{}, 1)}
	s.side = &helper{s: s, kick: make(chan struct{}, 1), claims: newClaims()}
	o := handover.Options{
		Parent: countedParent{above{l, s.side, ownLane}}, Name: l.name, Outbox: countedOutbox{l.s.local.Outbox(), l}, Dest: OutboxDest, Jobs: l.s.local.Jobs(),
		ID: l.s.ID(), Loaded: handover.NewRecent[struct{}](local.SyndicJidForwardCacheHwm), Log: l.log, Body: l.body,
	}
	if local.SyndicMode == "cluster" {
		o.OwnMaster = local.MasterID
	}
	s.over = handover.New(o)
	o.Parent = countedParent{above{l, s.side, sideLane}}
	s.side.over = handover.New(o)
	return s
}

// wake has what is owed sent, by the helper if the sender is at it.
func (s *sender) wake() {
	ring(s.kick)
	s.side.wake()
}

// run sends until ctx ends, whenever it is kicked.
func (s *sender) run(ctx context.Context) {
	retry := s.l.s.pace.backoff()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.kick:
		case <-s.back:
		}
		for s.l.isUp() && ctx.Err() == nil {
			err := s.over.Turn(ctx)
			left := errors.Is(err, handover.ErrLeft)
			if err == nil || left {
				if again := s.giveAgain(ctx); again != nil {
					err, left = again, false
				}
			}
			if err == nil {
				retry.reset()
				s.side.trouble.Store(false)
				break
			}
			if ctx.Err() != nil {
				return
			}
			wait := retry.wait()
			if !left { // each of those was told of
				s.l.log.Warn("Returns could not be handed to the master above; they stay in the outbox", "err", err, "retry_in", wait)
			}
			s.pause(ctx, wait, left)
		}
	}
}

// pause waits for d, until the parent is back, or for work if that makes sense.
func (s *sender) pause(ctx context.Context, d time.Duration, work bool) {
	kick := s.kick
	if !work {
		kick = nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-s.back:
	case <-kick:
	}
}

// above is a link as handover sees it.
type above struct {
	l    *link
	side *helper
	lane int
}

func (a above) IsUp() bool              { return a.l.isUp() }
func (a above) IsResting() bool         { return a.l.isResting() }
func (a above) SetResting(resting bool) { a.l.rest(resting) }
func (a above) Shifts() uint64          { return a.l.s.returns.shifts.Load() }

func (a above) Owns(it returners.Item) bool {
	return a.l.s.parents.owns(a.l, it) && a.side.claims.take(a.lane, it.JID)
}

func (a above) Landed(err error) {
	if err != nil {
		a.side.trouble.Store(true)
	}
	a.side.claims.release(a.lane)
}

func (a above) Given(it returners.Item) (keep bool) { return a.l.s.parents.given(a.l, it) }

func (a above) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.l.request(ctx, load)
}
