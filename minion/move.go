package minion

import (
	"context"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// follow goes where the wish leads; nil: nowhere, all stays as it is.
func (m *Minion) follow(ctx context.Context, w wish, cur *stay, h *home, box *outbox) *stay {
	if w.back || cur.away.Load() && (w.lost || w.asked && w.to == "" && !h.drains()) {
		next, err := m.goHome(ctx, h, box, &channel.Result{}, true)
		if err == nil {
			m.log.Info("back at the home master", "master", next.l.name)
			return m.arrived(ctx, next, w)
		}
		if w.back {
			m.log.Warn("the home master is back, but does not take us", "error", err)
			return nil
		}
	}
	here, homeNode := cur.node.ID, ""
	if !cur.away.Load() {
		h.mu.Lock()
		here = h.node
		h.mu.Unlock()
	} else if _, n, ok := h.at(); ok {
		homeNode = n.ID
	}
	order, voucher := h.others(m.cfg.ID, here, homeNode)
	if w.to != "" {
		n, v, ok := h.find(w.to)
		if !ok || n.ID == here {
			m.log.Warn("asked to move to a node that is no sibling of ours", "to", w.to)
			return nil
		}
		order, voucher = []sibling.Node{n}, v
	}
	for _, n := range order {
		next, err := m.visit(ctx, h, box, n, voucher)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			m.log.Warn("a sibling of the master does not take us", "sibling", n.ID, "error", err)
			continue
		}
		m.log.Warn("moved to a sibling of the master", "from", cur.l.name, "to", n.ID, "addr", n.Addr(), "asked", w.asked)
		next = m.arrived(ctx, next, w)
		if w.asked && !w.settle {
			m.sayLeave(ctx, cur, h, n.ID)
		}
		if w.settle {
			m.settleAt(ctx, cur, next, h)
		}
		return next
	}
	if voucher := h.show(); w.lost && voucher != nil { // the home is not where the option says, and nobody that it has named is there
		next, err := m.tryOption(ctx, h, box)
		if err == nil {
			m.log.Warn("back at the configured master as a guest: neither the home nor a sibling answers", "home", cur.l.name, "master", h.option)
			return m.arrived(ctx, next, w)
		}
		if ctx.Err() == nil {
			m.log.Warn("the configured master does not take us either", "master", h.option, "error", err)
		}
	}
	return nil
}

// arrived waits until the new place sees the subscription and has taken what we are at
// work on, and then for what the old one has published by then, so that nothing is
// published past us while we move.
func (m *Minion) arrived(ctx context.Context, next *stay, w wish) *stay {
	short, stop := context.WithTimeout(ctx, arrival)
	defer stop()
	select {
	case <-next.l.said:
		if !w.lost {
			_ = sleep.For(ctx, overlap)
		}
	case <-next.done:
	case <-short.Done(): // it is served and comes up, or is lost, as any
	}
	return next
}

// sayLeave tells the master that is left where we are meanwhile, so that it does
// not miss us.
func (m *Minion) sayLeave(ctx context.Context, cur *stay, h *home, to string) {
	if cur.away.Load() {
		return
	}
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if _, _, err := act(short, cur.l, h, wire.NewMap("leaves", to)); err != nil {
		m.log.Debug("the master was not told that we leave", "error", err)
	}
}

// act asks a master for something that changes where this minion belongs. Such a request
// quotes what the master has told in the answer before, so that none can be sent again.
func act(ctx context.Context, l *link, h *home, fields *wire.Map) (reply *wire.Map, known bool, err error) {
	before, known, err := l.ch.Siblings(ctx, wire.NewMap("have", h.sum()))
	if err != nil || !known {
		return nil, known, err
	}
	fields.Set("turn", before.String("turn"))
	return l.ch.Siblings(ctx, fields)
}

// settleAt makes the new place the home and tells both sides: it takes us for good on the word of
// the home that we leave.
func (m *Minion) settleAt(ctx context.Context, cur, next *stay, h *home) {
	short, stop := context.WithTimeout(ctx, 2*reach)
	defer stop()
	word, known, err := act(short, cur.l, h, wire.NewMap("transfer", next.node.ID))
	if err != nil || !known || !word.Has("transfer") {
		m.log.Warn("the home master does not give its word that we may stay elsewhere; we go back some time", "error", err)
		return
	}
	reply, known, err := act(short, next.l, h, wire.NewMap("stay", true, "word", word.Bytes("transfer"), "voucher", true))
	if err != nil || !known {
		m.log.Warn("the new node does not take us for good; we go back some time", "error", err)
		return
	}
	if err := h.settle(next.node); err != nil {
		m.log.Warn("the new home could not be written down", "error", err)
		return
	}
	next.away.Store(false)
	next.node = sibling.Node{}
	if err := h.learn(reply, true); err != nil {
		m.log.Warn("the siblings of the new home are not known yet", "error", err)
	}
	if _, _, err := act(short, cur.l, h, wire.NewMap("leaves", reply.String("node"), "forever", true)); err != nil {
		m.log.Warn("the old home was not told that we left", "error", err)
	}
}
