package minion

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
)

const (
	// homeTries is how often a home that was chosen by `mom node rebalance` is tried at the
	// start before the master that the option names is asked.
	homeTries = 3
	// homePause is the time between two of these, and as much again at most by chance.
	homePause = time.Second
)

// firstStay begins at the home. If that is another node than the option names, and it does not
// answer, the option's master and then the siblings are tried: it may serve elsewhere by now, or
// never again, and they know. Whoever takes us gets a guest until the home is there.
func (m *Minion) firstStay(ctx context.Context, h *home, box *outbox) (*stay, error) {
	if addr, _, ok := h.at(); addr == "" || !ok {
		return m.goHome(ctx, h, box, nil, false)
	}
	for wait := m.cfg.AcceptanceWaitTime; ; wait = min(2*wait, max(m.cfg.AcceptanceWaitTime, m.cfg.AcceptanceWaitTimeMax)) {
		cur, err := m.tryHome(ctx, h, box)
		if err == nil || ctx.Err() != nil {
			return cur, err
		}
		if answered(err) { // nobody else must be a way around what it says
			return m.goHome(ctx, h, box, nil, false)
		}
		m.log.Warn("the home that this minion was moved to does not take it; the configured master is asked", "home", h.node, "tries", homeTries, "master", h.option, "error", err)
		if cur, err = m.tryOption(ctx, h, box); err == nil || ctx.Err() != nil {
			return cur, err
		}
		m.log.Warn("nor does the configured master; its siblings are asked", "master", h.option, "error", err)
		order, voucher := h.others(m.cfg.ID, h.node)
		for _, n := range order {
			if cur, err = m.visit(ctx, h, box, n, voucher); err == nil || ctx.Err() != nil {
				return cur, err
			}
			m.log.Warn("a sibling of the master does not take us", "sibling", n.ID, "error", err)
		}
		if err := sleep.For(ctx, wait+rand.N(wait/10+1)); err != nil {
			return nil, err
		}
	}
}

// tryHome tries the home a few times; its answer ends that at once, be it a refusal.
func (m *Minion) tryHome(ctx context.Context, h *home, box *outbox) (cur *stay, err error) {
	for n := range homeTries {
		if n > 0 {
			if err := sleep.For(ctx, homePause+rand.N(homePause)); err != nil {
				return nil, err
			}
		}
		if cur, err = m.goHome(ctx, h, box, &channel.Result{}, false); err == nil || ctx.Err() != nil || answered(err) {
			return cur, err
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

// tryOption begins as a guest at the master that the option names, with the word of the home.
func (m *Minion) tryOption(ctx context.Context, h *home, box *outbox) (*stay, error) {
	l, err := newLink(m, h.option, box, 1, func(c *channel.Config) error { c.Voucher = h.show(); return nil })
	if err != nil {
		return nil, err
	}
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	res, err := l.ch.Attempt(short)
	if err != nil {
		_ = l.ch.Close()
		return nil, err
	}
	return m.begin(ctx, l, sibling.Node{}, true, h, &res), nil
}
