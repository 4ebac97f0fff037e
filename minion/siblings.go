package minion

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// askEvery is how often the siblings are asked for while all is well.
	askEvery = 5 * time.Minute
	// vouchEvery is how often a new voucher is asked for, which counts for some hours
	// (sibling.VoucherLife).
	vouchEvery = time.Hour
	// askWithin is the time over which minions that know no sibling spread their
	// questions when they have connected, at most: the node may die any time.
	askWithin = time.Second
	// renewWithin is the same for minions that know some, when these may be others by
	// now.
	renewWithin = 30 * time.Second
)

// askSiblings asks the master for its siblings: when the subscription stands, when
// the master says that there are others, then now and then.
func (m *Minion) askSiblings(ctx context.Context, s *stay, h *home) {
	vouched := time.Time{}
	spread := min(askWithin, m.cfg.RehomeAfter)
	for {
		if s.l.up.await(ctx, true) != nil || sleep.For(ctx, rand.N(spread+1)) != nil {
			return
		}
		short, stop := context.WithTimeout(ctx, 10*time.Second)
		want := !s.away.Load() && time.Since(vouched) > vouchEvery
		reply, known, err := s.l.ch.Siblings(short, wire.NewMap("voucher", want, "have", h.sum()))
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.Debug("the master did not tell its siblings", "error", err)
		case !known:
			return
		default:
			if want {
				vouched = time.Now()
			}
			if err := h.learn(reply, !s.away.Load()); err != nil {
				m.log.Warn("the siblings of the master are not all believed", "error", err)
			}
		}
		spread = m.awaitNews(ctx, s, h.knowsOthers(m.cfg.ID))
	}
}

// awaitNews waits until the siblings should be asked for again, and gives the time
// over which that is to be spread. knows: a sibling is known.
func (m *Minion) awaitNews(ctx context.Context, s *stay, knows bool) (spread time.Duration) {
	wait, fresh := askEvery, renewWithin
	if !knows || s.away.Load() {
		wait = 5 * m.cfg.RehomeAfter
	}
	if !knows {
		fresh = min(askWithin, m.cfg.RehomeAfter)
	}
	changed := s.l.up.next()
	if !s.l.up.is() {
		return fresh
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		return m.cfg.RehomeAfter
	case <-changed: // what the master says meanwhile is not heard
	case within := <-s.l.news:
		if !knows {
			return within
		}
	}
	return fresh
}

// hearNews notes that the master would tell other siblings, and within which time it
// wants to be asked for them.
func (l *link) hearNews(within time.Duration) {
	select {
	case l.news <- within:
	default: // it is about to be asked anyway
	}
}
