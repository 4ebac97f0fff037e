package syndic

import (
	"context"
	"errors"
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
}

func newSender(l *link) *sender {
	local := l.s.cfg.Local
	o := handover.Options{
		Parent: above{l}, Name: l.name, Outbox: l.s.local.Outbox(), Dest: OutboxDest, Jobs: l.s.local.Jobs(),
		ID: l.s.ID(), Remember: local.SyndicJidForwardCacheHwm, Log: l.log,
	}
	if local.SyndicMode == "cluster" {
		o.OwnMaster = local.MasterID
	}
	return &sender{l: l, kick: make(chan struct{}, 1), back: make(chan struct{}, 1), over: handover.New(o)}
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
			if err == nil {
				retry.reset()
				break
			}
			if ctx.Err() != nil {
				return
			}
			wait := retry.wait()
			s.l.log.Warn("Returns could not be handed to the master above; they stay in the outbox", "err", err, "retry_in", wait)
			s.pause(ctx, wait, errors.Is(err, handover.ErrLeft))
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
type above struct{ l *link }

func (a above) IsUp() bool              { return a.l.isUp() }
func (a above) IsResting() bool         { return a.l.isResting() }
func (a above) SetResting(resting bool) { a.l.rest(resting) }
func (a above) Shifts() uint64          { return a.l.s.returns.shifts.Load() }

func (a above) Owns(it returners.Item) bool {
	master := ""
	if it.Return != nil {
		master = it.Return.MasterID
	}
	owner := a.l.s.parents.owner(it.JID, master)
	return owner == a.l || owner == nil
}

func (a above) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return a.l.request(ctx, load)
}
