package failover

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/timing"
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
	// askTimeout bounds one question.
	askTimeout = 10 * time.Second
)

// askSiblings asks the master for its siblings: when the subscription stands, when
// the master says that there are others, then now and then.
func (m *mover) askSiblings(ctx context.Context, a *active) {
	vouched := time.Time{}
	spread := min(askWithin, m.Options.RehomeAfter)
	for {
		if awaitSubscribed(ctx, a) != nil || timing.Sleep(ctx, rand.N(spread+1)) != nil {
			return
		}
		short, stop := context.WithTimeout(ctx, askTimeout)
		want := !a.guest.Load() && time.Since(vouched) > vouchEvery
		reply, known, err := a.Channel().Siblings(short, wire.NewMap("voucher", want, "have", m.known.sum()))
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.Log.Debug("sibling list not received", "err", err)
		case !known:
			return
		default:
			if want {
				vouched = time.Now()
			}
			if err := m.known.learn(reply, !a.guest.Load()); err != nil {
				m.Log.Warn("parts of the sibling list rejected", "err", err)
			}
		}
		spread = m.awaitNews(ctx, a, m.known.knowsOthers(m.Options.ID))
	}
}

func awaitSubscribed(ctx context.Context, s Session) error {
	for {
		up, changed := s.Subscribed()
		if up {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitNews waits until the siblings should be asked for again, and gives the time
// over which that is to be spread. knows: a sibling is known.
func (m *mover) awaitNews(ctx context.Context, a *active, knows bool) (spread time.Duration) {
	wait, fresh := askEvery, renewWithin
	if !knows || a.guest.Load() {
		wait = 5 * m.Options.RehomeAfter
	}
	if !knows {
		fresh = min(askWithin, m.Options.RehomeAfter)
	}
	up, changed := a.Subscribed()
	if !up {
		return fresh
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		return m.Options.RehomeAfter
	case <-changed: // what the master says meanwhile is not heard
	case within := <-a.news:
		if !knows {
			return within
		}
	}
	return fresh
}
