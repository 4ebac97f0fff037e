package minion

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/bus"
)

const (
	// moveTag is the local event that asks the minion to move; `mom node drain` and
	// `mom node rebalance` have it fired by the function event.fire.
	moveTag = "mom/home/move"
	// arrival is how long a move waits for the new master to see us before the old one
	// is given up all the same.
	arrival = 10 * time.Second
	// overlap is how long we then hear both: a job may reach the new master before it
	// sees us, and the old one a moment later.
	overlap = time.Second
	// reach is the time a master that seems gone has for a last word, and one that
	// is tried for an answer.
	reach = 3 * time.Second
)

// rehoming serves the one master the option names while it is there, a sibling of
// it otherwise. A move begins at the new place before it ends at the old one.
func (m *Minion) rehoming(ctx context.Context, option string) error {
	h, err := openHome(m.cfg.Cachedir, option)
	if err != nil {
		m.log.Warn("what was known of the master's siblings is not used", "error", err)
	}
	box, err := openOutbox(m.outboxDir(option), m.cfg.Bounds.OrDefault().Returns, m.log)
	if err != nil {
		return err
	}
	moves := m.bus.Subscribe(bus.SubscribeOptions{Size: 16, Match: func(tag string) bool { return tag == moveTag }})
	defer moves.Close()
	cur, err := m.firstStay(ctx, h, box)
	if err != nil {
		return err
	}
	m.reportInterrupted(cur.l, nil)
	for {
		w, ended := m.watch(ctx, cur, h, moves)
		if ctx.Err() != nil {
			cur.leave()
			return nil
		}
		if ended && !cur.away.Load() {
			cur.leave()
			return cur.err
		}
		next := m.follow(ctx, w, cur, h, box)
		if next == nil {
			if ended { // a sibling that turned us away, and no other takes us
				if next, err = m.goHome(ctx, h, box, nil, true); err != nil {
					return err
				}
			} else {
				continue
			}
		}
		cur.leave()
		cur = next
	}
}
