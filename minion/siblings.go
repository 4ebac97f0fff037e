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
	// vouchEvery is how often a new voucher is asked for; it counts for two days.
	vouchEvery = time.Hour
)

// askSiblings asks the master for its siblings: soon after the subscription
// stands, since a master may die any time, then now and then.
func (m *Minion) askSiblings(ctx context.Context, s *stay, h *home) {
	wait, vouched := time.Duration(0), time.Time{}
	for {
		if s.l.up.await(ctx, true) != nil {
			return
		}
		if sleep.For(ctx, wait+rand.N(m.cfg.RehomeAfter)) != nil {
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
		wait = askEvery
		h.mu.Lock()
		here := h.node
		h.mu.Unlock()
		if order, _ := h.others(m.cfg.ID, here); len(order) == 0 || s.away.Load() {
			wait = 5 * m.cfg.RehomeAfter
		}
	}
}
