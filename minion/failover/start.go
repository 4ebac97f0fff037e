package failover

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
)

const (
	// primaryTries is how often, at the start, a primary chosen by `mom node rebalance` is
	// tried before the master of the option.
	primaryTries = 3
	// primaryPause is the pause between two tries, plus a random time of at most the same
	// length.
	primaryPause = time.Second
)

// start connects to the primary. If the primary is not the master of the option and does not
// answer, start tries that master and then the siblings: the primary may have moved or be gone
// for good, and they know. The minion is a guest there until the primary is available.
func (m *mover) start(ctx context.Context) (*active, error) {
	if addr, _, ok := m.known.primary(); addr == "" || !ok {
		return m.primary(ctx, false, false)
	}
	first, most := m.Options.AcceptanceWaitTime, max(m.Options.AcceptanceWaitTime, m.Options.AcceptanceWaitTimeMax)
	for wait := first; ; wait = min(2*wait, most) {
		a, err := m.tryPrimary(ctx)
		if err == nil || ctx.Err() != nil {
			return a, err
		}
		if answered(err) { // a refusal must not be circumvented elsewhere
			return m.primary(ctx, false, false)
		}
		m.Log.Warn("assigned node refused this minion, trying the configured master", "node", m.known.primaryID(), "tries", primaryTries, "master", m.Master, "err", err)
		if a, err = m.configured(ctx); err == nil || ctx.Err() != nil {
			return a, err
		}
		m.Log.Warn("configured master refused this minion, trying its siblings", "master", m.Master, "err", err)
		order, voucher := m.known.others(m.Options.ID, m.known.primaryID())
		for _, n := range order {
			if a, err = m.sibling(ctx, n, voucher); err == nil || ctx.Err() != nil {
				return a, err
			}
			m.Log.Warn("sibling refused this minion", "sibling", n.ID, "err", err)
		}
		if err := timing.Sleep(ctx, wait+rand.N(wait/10+1)); err != nil {
			return nil, err
		}
	}
}

// tryPrimary tries the primary a few times; any answer ends that, even a refusal.
func (m *mover) tryPrimary(ctx context.Context) (a *active, err error) {
	for n := range primaryTries {
		if n > 0 {
			if err := timing.Sleep(ctx, primaryPause+rand.N(primaryPause)); err != nil {
				return nil, err
			}
		}
		if a, err = m.primary(ctx, true, false); err == nil || ctx.Err() != nil || answered(err) {
			return a, err
		}
	}
	return nil, err
}

// answered reports whether a sign-in failed because the requested master itself refused it, not
// because it was unreachable or another server answered.
func answered(err error) bool {
	for _, is := range []error{channel.ErrPending, channel.ErrRejected, channel.ErrFull, channel.ErrNotReady} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
