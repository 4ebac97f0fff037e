package minion

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// wish is what ends a stay.
type wish struct {
	lost, back bool
	to         string // a sibling to move to; "": the best one, for a guest its home
	asked      bool   // to move
	settle     bool   // that sibling is the home from then on
}

// watch returns when the stay has to end.
func (m *Minion) watch(ctx context.Context, cur *stay, h *home, moves *bus.Subscription) (w wish, ended bool) {
	ctx, cancel := context.WithCancel(ctx)
	back := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		if cur.away.Load() && m.awaitHome(ctx, h) {
			close(back)
		}
	}()
	defer func() { cancel(); <-watching }()
	asked := moves.C()
	var gone *time.Timer
	defer func() {
		if gone != nil {
			gone.Stop()
		}
	}()
	for {
		changed := cur.l.up.next()
		var lost <-chan time.Time
		switch up := cur.l.up.is(); {
		case up && gone != nil:
			gone.Stop()
			gone = nil
		case !up:
			if gone == nil {
				gone = time.NewTimer(m.cfg.RehomeAfter + rand.N(m.cfg.RehomeAfter))
			}
			lost = gone.C
		}
		select {
		case <-ctx.Done():
			return wish{}, false
		case <-cur.done:
			return wish{lost: true}, true
		case <-changed:
		case <-back:
			return wish{back: true}, false
		case e, ok := <-asked:
			if ok {
				return readWish(e.Data), false
			}
			asked = nil // the bus is closed, or had too much for us
		case <-lost:
			gone = nil
			if !m.answers(ctx, cur.l) {
				return wish{lost: true}, false
			}
		}
	}
}

func readWish(data wire.Raw) wish {
	w := wish{asked: true}
	d, err := wire.DecodeMap(data)
	if err != nil {
		return w
	}
	if inner := d.Map("data"); inner != nil { // as event.fire wraps it
		d = inner
	}
	w.to, w.settle = d.String("to"), d.Bool("settle")
	return w
}

// answers tells whether a master that we are not subscribed to says something to a
// sign-in. If it does, be it a refusal, it is not gone, and a sibling must not be a
// way around what it says.
func (m *Minion) answers(ctx context.Context, l *link) bool {
	ctx, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if !l.ch.Listens(ctx) {
		return false
	}
	_, err := l.ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// awaitHome returns true when the home has been there for rehome_failback without
// a break, and does not want to lose its minions.
func (m *Minion) awaitHome(ctx context.Context, h *home) bool {
	var since time.Time
	every := m.cfg.RehomeFailback / 4
	for sleep.For(ctx, every+rand.N(every/4+1)) == nil {
		name, _, _ := h.at()
		if name == "" {
			name = h.option
		}
		if h.drains() {
			since = time.Time{}
			continue
		}
		host, port, err := channel.SplitMaster(name, m.cfg.MasterPort)
		if err != nil {
			return false
		}
		d := net.Dialer{Timeout: reach}
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, fmt.Sprint(port)))
		if err != nil {
			since = time.Time{}
			continue
		}
		_ = conn.Close() // it was only to see that somebody listens
		switch {
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= m.cfg.RehomeFailback*3/4:
			return true
		}
	}
	return false
}
