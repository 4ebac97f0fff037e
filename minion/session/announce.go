package session

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// setConnected records that the subscription is up, or lost, and fires the event of it on the
// minion's bus. It fires at each change, however short, and waits for no report to the master,
// which may be gone before it answers one.
func (s *Session) setConnected(up bool) {
	s.up.set(up)
	tag := "__master_disconnected"
	if up {
		tag = "__master_connected"
	}
	s.all.FireLocal(tag, wire.NewMap("master", s.name))
}

// announceAll reports the subscription to the master at every connect, and at the first one
// also that the minion has started.
func (s *Session) announceAll(ctx context.Context) {
	var before channel.Result // the keys when the subscription was lost
	for first := true; ; first = false {
		down, err := s.up.reach(ctx, true)
		if err != nil {
			return
		}
		announced := s.announce(ctx)
		if first {
			s.fireStart(ctx)
		} else {
			select {
			case s.reauth <- before:
			default:
			}
		}
		if !s.stayAnnounced(ctx, down, announced) {
			return
		}
		before, _ = s.ch.Current()
	}
}

// announcePause is the pause before a failed announcement is repeated while returns wait for
// it. The pause grows to acceptance_wait_time.
const announcePause = 500 * time.Millisecond

// noteAnnounced records that the master accepted an announcement. Only announceAll calls it.
func (s *Session) noteAnnounced() {
	select {
	case <-s.announced:
	default:
		close(s.announced)
	}
}

// awaitAnnounced returns when the returns may be delivered: after the master has accepted an
// announcement, which names their jobs, or after AnnounceFirst, because a return matters more
// than the order.
func (s *Session) awaitAnnounced(ctx context.Context) {
	if s.o.AnnounceFirst == 0 {
		return
	}
	select {
	case <-s.announced:
	case <-time.After(s.o.AnnounceFirst):
	case <-ctx.Done():
	}
}

// stayAnnounced waits until the subscription is down, and returns true, or until ctx ends.
// Meanwhile it repeats a failed announcement, for example while the key is not accepted yet. It
// also announces after each sign-in, because a master that lost our keys has lost the
// subscription, too.
func (s *Session) stayAnnounced(ctx context.Context, down <-chan struct{}, announced uint64) bool {
	pause := s.all.Options.AcceptanceWaitTime
	if s.o.AnnounceFirst > 0 {
		pause = min(pause, announcePause)
	}
	for {
		var again <-chan time.Time
		if announced == 0 && !s.silent {
			again = time.After(pause)
			pause = min(2*pause, s.all.Options.AcceptanceWaitTime)
		}
		select {
		case <-ctx.Done():
			return false
		case <-down:
			return true
		case <-again:
			announced = s.announce(ctx)
		case <-s.renew:
			if now, _ := s.ch.Current(); now.Seq != announced {
				announced = s.announce(ctx)
			}
		}
	}
}

// announce binds the subscription to this id, at masters that support it. It returns the number
// of the sign-in under which it succeeded, or 0.
func (s *Session) announce(ctx context.Context) uint64 {
	for n := 1; ; n++ {
		signIn, bound := s.announceOnce(ctx)
		if bound && (signIn != 0 || s.silent) {
			s.noteAnnounced()
		}
		// A master that has not seen our subscription yet may publish before it does, so
		// announce once more.
		if bound || n >= maxUnbound || !s.up.is() || timing.Sleep(ctx, unboundPause) != nil {
			if signIn == 0 {
				s.forgetRenewed()
			}
			return signIn
		}
	}
}

// forgetRenewed drops the signal of a sign-in that a refused announcement caused. Otherwise
// that announcement would be repeated at once, forever, and not after its pause.
func (s *Session) forgetRenewed() {
	select {
	case <-s.renew:
	default:
	}
}

// announceOnce announces once. bound reports whether the master sees the subscription.
func (s *Session) announceOnce(ctx context.Context) (signIn uint64, bound bool) {
	if s.silent {
		return 0, true
	}
	p := channel.Presence{Version: s.all.Version, Running: s.UnderWay(), Heard: &s.tail}
	if s.o.Announce != nil {
		p.More = s.o.Announce()
	}
	reply, known, err := s.ch.Announce(ctx, p)
	switch {
	case err != nil:
		if ctx.Err() == nil {
			s.log.Warn("presence not announced", "err", err)
		}
		return 0, true
	case !known:
		s.silent = true
		return 0, true
	case s.tail.Answer(reply):
		s.behind()
	}
	s.ours.Store(true)
	s.hearsDeclined.Store(reply.Bool("declined"))
	seen, named := reply.Get("session")
	now, _ := s.ch.Current()
	return now.Seq, !named || seen != false
}
