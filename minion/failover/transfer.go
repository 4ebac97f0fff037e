package failover

import (
	"context"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// announceLeaving reports to the primary that the minion moves to a sibling for now, so that the
// primary does not count it missing.
func (m *mover) announceLeaving(ctx context.Context, cur *active, to string) {
	if cur.guest.Load() {
		return
	}
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if _, _, err := m.change(short, cur, wire.NewMap("leaves", to)); err != nil {
		m.Log.Debug("departure not reported to master", "err", err)
	}
}

// change sends a master a request that alters which node this minion belongs to. The request
// quotes the value turn of the previous answer, so that it cannot be replayed.
func (m *mover) change(ctx context.Context, a *active, fields *wire.Map) (reply *wire.Map, known bool, err error) {
	before, known, err := a.Channel().Siblings(ctx, wire.NewMap("have", m.known.sum()))
	if err != nil || !known {
		return nil, known, err
	}
	fields.Set("turn", before.String("turn"))
	return a.Channel().Siblings(ctx, fields)
}

// changePrimary makes the new master the primary and reports that to both. The new one accepts
// the minion for good because the old one signs that it leaves.
func (m *mover) changePrimary(ctx context.Context, cur, next *active) {
	short, stop := context.WithTimeout(ctx, 2*reach)
	defer stop()
	word, known, err := m.change(short, cur, wire.NewMap("transfer", next.node.ID))
	if err != nil || !known || !word.Has("transfer") {
		m.Log.Warn("primary master did not vouch for the move, the move is temporary", "err", err)
		return
	}
	reply, known, err := m.change(short, next, wire.NewMap("stay", true, "word", word.Bytes("transfer"), "voucher", true))
	if err != nil || !known {
		m.Log.Warn("new node did not accept a permanent move, the move is temporary", "err", err)
		return
	}
	if err := m.known.setPrimary(next.node); err != nil {
		m.Log.Warn("new primary not saved", "err", err)
		return
	}
	next.guest.Store(false)
	next.node = sibling.Node{}
	if err := m.known.learn(reply, true); err != nil {
		m.Log.Warn("siblings of the new primary unknown", "err", err)
	}
	if _, _, err := m.change(short, cur, wire.NewMap("leaves", reply.String("node"), "forever", true)); err != nil {
		m.Log.Warn("departure not reported to the old primary", "err", err)
	}
}
