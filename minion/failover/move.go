package failover

import (
	"context"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/timing"
)

// move connects to the master that the trigger requires. It returns nil if the minion stays.
func (m *mover) move(ctx context.Context, t trigger, cur *active) *active {
	if t.failback || cur.guest.Load() && (t.lost || t.asked && t.to == "" && !m.known.drains()) {
		next, err := m.primary(ctx, true, true)
		if err == nil {
			m.Log.Info("back at the primary master", "master", next.Name())
			return arrived(ctx, next, t)
		}
		if t.failback {
			m.Log.Warn("primary master is back but refused this minion", "err", err)
			return nil
		}
	}
	order, voucher, ok := m.candidates(t, cur)
	if !ok {
		m.Log.Warn("move refused: target is not a known sibling", "to", t.to)
		return nil
	}
	for _, n := range order {
		next, err := m.sibling(ctx, n, voucher)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			m.Log.Warn("sibling refused this minion", "sibling", n.ID, "err", err)
			continue
		}
		m.Log.Warn("moved to a sibling of the master", "from", cur.Name(), "to", n.ID, "addr", n.Addr(), "asked", t.asked)
		next = arrived(ctx, next, t)
		switch {
		case t.forGood:
			m.changePrimary(ctx, cur, next)
		case t.asked:
			m.announceLeaving(ctx, cur, n.ID)
		}
		return next
	}
	//mutant:remembered-home-is-given-up-2
	if t.lost && m.known.moved() != nil { // the primary is not at the configured address, and no sibling that it named accepts us
		next, err := m.configured(ctx)
		if err == nil {
			m.Log.Warn("connected to the configured master: primary and siblings unreachable", "primary", cur.Name(), "master", m.Master)
			return arrived(ctx, next, t)
		}
		if ctx.Err() == nil {
			m.Log.Warn("configured master refused this minion", "master", m.Master, "err", err)
		}
	}
	return nil
}

// candidates returns the siblings to try, best first, and the voucher to send. It returns false
// if the requested sibling is not known.
func (m *mover) candidates(t trigger, cur *active) ([]sibling.Node, []byte, bool) {
	here, primary := cur.node.ID, ""
	if !cur.guest.Load() {
		here = m.known.primaryID()
	} else if _, n, ok := m.known.primary(); ok {
		primary = n.ID
	}
	if t.to == "" {
		order, voucher := m.known.others(m.Options.ID, here, primary)
		return order, voucher, true
	}
	n, voucher, ok := m.known.find(t.to)
	return []sibling.Node{n}, voucher, ok && n.ID != here
}

// arrived waits until the new master sees the subscription and knows our jobs, then for
// publications that the old master has sent by then. So no publication is missed during a move.
func arrived(ctx context.Context, next *active, t trigger) *active {
	short, stop := context.WithTimeout(ctx, arrival)
	defer stop()
	select {
	case <-next.Announced():
		if !t.lost {
			_ = timing.Sleep(ctx, overlap)
		}
	case <-next.done:
	case <-short.Done(): // serve it anyway; it comes up or is lost like any session
	}
	return next
}
