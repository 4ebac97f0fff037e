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
	// primaryTries is how often a primary that was chosen by `mom node rebalance` is tried
	// at the start before the master that the option names is asked.
	primaryTries = 3
	// primaryPause is the time between two of these, and as much again at most by chance.
	primaryPause = time.Second
)

// start begins at the primary. If that is another node than the option names, and it does
// not answer, the option's master and then the siblings are tried: it may serve elsewhere
// by now, or never again, and they know. Whoever takes us gets a guest until the primary
// is there.
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
		if answered(err) { // nobody else must be a way around what it says
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

// tryPrimary tries the primary a few times; its answer ends that at once, be it a refusal.
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

// answered tells whether a sign-in failed by the word of the very master that was asked, and
// not because nobody was there, or somebody else in its place.
func answered(err error) bool {
	for _, is := range []error{channel.ErrPending, channel.ErrRejected, channel.ErrFull, channel.ErrNotReady} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
