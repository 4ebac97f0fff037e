package failover

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

const (
	// askEvery is the interval between requests for the siblings in normal operation.
	askEvery = 5 * time.Minute
	// vouchEvery is the interval between requests for a new voucher, which is valid for some
	// hours (sibling.VoucherLife).
	vouchEvery = time.Hour
	// askWithin is the longest time over which minions that know no sibling spread their
	// requests after they connect. It is short, because the node may die any time.
	askWithin = time.Second
	// renewWithin is the same for minions that know siblings, when these may have changed.
	renewWithin = 30 * time.Second
	// askTimeout bounds one request.
	askTimeout = 10 * time.Second
)

// askSiblings requests the siblings from the master: when the subscription is up, when the
// master reports a change, and periodically.
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
		spread = m.awaitChange(ctx, a, m.known.knowsOthers(m.Options.ID))
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

// awaitChange waits until the siblings should be requested again, and returns the time over which
// to spread that. knows reports whether a sibling is known.
func (m *mover) awaitChange(ctx context.Context, a *active, knows bool) (spread time.Duration) {
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
	case <-changed: // reports of changes may be missed meanwhile
	case within := <-a.changes:
		if !knows {
			return within
		}
	}
	return fresh
}
