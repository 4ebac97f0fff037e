package session

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// fireConnected fires an event on the minion's bus at each connect and each loss. It does
// not wait for the master, which may be gone before it has answered an announcement.
func (s *Session) fireConnected(ctx context.Context) {
	for {
		down, err := s.up.reach(ctx, true)
		if err != nil {
			return
		}
		s.all.FireLocal("__master_connected", wire.NewMap("master", s.name))
		select {
		case <-down:
			s.all.FireLocal("__master_disconnected", wire.NewMap("master", s.name))
		case <-ctx.Done():
			return
		}
	}
}

// announceAll tells the master who has subscribed, at every connect, and at the first
// one that the minion has started.
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

// announcePause is when a master that did not take an announcement is told again while returns
// wait for that; the pause grows to acceptance_wait_time.
const announcePause = 500 * time.Millisecond

// noteAnnounced notes that the master has taken an announcement; announceAll alone calls it.
func (s *Session) noteAnnounced() {
	select {
	case <-s.announced:
	default:
		close(s.announced)
	}
}

// awaitAnnounced returns when the returns may be delivered: to a master that has to answer for
// their jobs, after it has taken an announcement that tells which these are; or when it
// took none for as long as that may take, for a return is worth more than its job.
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

// stayAnnounced waits until the subscription is down, true, or ctx ends. Until
// then it announces again what could not be announced, for one because the key
// is not accepted yet, and after each sign-in, since a master that forgot our
// keys has forgotten who subscribed, too.
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

// announce ties the subscription to this id, for masters that know how. It
// returns the number of the sign-in under which that was done, 0 if it was not.
func (s *Session) announce(ctx context.Context) uint64 {
	for n := 1; ; n++ {
		signIn, bound := s.announceOnce(ctx)
		if bound && (signIn != 0 || s.silent) {
			s.noteAnnounced()
		}
		// A master that has not seen our subscription yet may publish
		// something before it does: it has to hear from us once more.
		if bound || n >= maxUnbound || !s.up.is() || timing.Sleep(ctx, unboundPause) != nil {
			if signIn == 0 {
				s.forgetRenewed()
			}
			return signIn
		}
	}
}

// forgetRenewed drops the word of a sign-in that a refused announcement made itself:
// that one is told again after its pause, not at once and for ever.
func (s *Session) forgetRenewed() {
	select {
	case <-s.renew:
	default:
	}
}

// announceOnce tells as well whether the master sees the subscription.
func (s *Session) announceOnce(ctx context.Context) (signIn uint64, bound bool) {
	if s.silent {
		return 0, true
	}
	reply, known, err := s.ch.Announce(ctx, channel.Presence{Version: s.all.Version, Running: s.UnderWay(), Heard: &s.tail, More: s.o.Announce})
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
	seen, told := reply.Get("session")
	now, _ := s.ch.Current()
	return now.Seq, !told || seen != false
}
