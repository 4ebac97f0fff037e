package failover

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// trigger is why a session has to end.
type trigger struct {
	lost     bool   // the master is gone
	failback bool   // the primary is there again
	asked    bool   // somebody has asked the minion to move
	to       string // a sibling to move to; "": the best one, for a guest its primary
	forGood  bool   // that sibling is the primary from then on
}

// await returns when the session has to end; ended tells that it did by itself.
func (m *mover) await(ctx context.Context, cur *active) (t trigger, ended bool) {
	ctx, cancel := context.WithCancel(ctx)
	back := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		if cur.guest.Load() && m.awaitPrimary(ctx) {
			close(back)
		}
	}()
	defer func() { cancel(); <-watching }()
	asked := m.moves.C()
	var gone *time.Timer
	defer func() {
		if gone != nil {
			gone.Stop()
		}
	}()
	for {
		up, changed := cur.Subscribed()
		var lost <-chan time.Time
		switch {
		case up && gone != nil:
			gone.Stop()
			gone = nil
		case !up:
			if gone == nil {
				gone = time.NewTimer(m.Options.RehomeAfter + rand.N(m.Options.RehomeAfter))
			}
			lost = gone.C
		}
		select {
		case <-ctx.Done():
			return trigger{}, false
		case <-cur.done:
			return trigger{lost: true}, true
		case <-changed:
		case <-back:
			return trigger{failback: true}, false
		case e, ok := <-asked:
			if ok {
				return readOrder(e.Data), false
			}
			asked = nil // the bus is closed, or had too much for us
		case <-lost:
			gone = nil
			if !answers(ctx, cur.Channel()) {
				return trigger{lost: true}, false
			}
		}
	}
}

// readOrder reads the event that asks the minion to move.
func readOrder(data wire.Raw) trigger {
	t := trigger{asked: true}
	d, err := wire.DecodeMap(data)
	if err != nil {
		return t
	}
	if inner := d.Map("data"); inner != nil { // as event.fire wraps it
		d = inner
	}
	t.to, t.forGood = d.String("to"), d.Bool("settle")
	return t
}

// answers tells whether a master that we are not subscribed to says something to a
// sign-in. If it does, be it a refusal, it is not gone, and a sibling must not be a
// way around what it says.
func answers(ctx context.Context, ch *channel.Channel) bool {
	ctx, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if !ch.Listens(ctx) {
		return false
	}
	_, err := ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// awaitPrimary returns true when the primary has been there for rehome_failback without
// a break, and does not want to lose its minions.
func (m *mover) awaitPrimary(ctx context.Context) bool {
	var since time.Time
	every := m.Options.RehomeFailback / 4
	for timing.Sleep(ctx, every+rand.N(every/4+1)) == nil {
		name, _, _ := m.known.primary()
		if name == "" {
			name = m.Master
		}
		if m.known.drains() {
			since = time.Time{}
			continue
		}
		host, port, err := channel.SplitMaster(name, m.Options.MasterPort)
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
		case time.Since(since) >= m.Options.RehomeFailback*3/4:
			return true
		}
	}
	return false
}
