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

// trigger says why a session must end.
type trigger struct {
	lost     bool   // the master is gone
	failback bool   // the primary is available again
	asked    bool   // somebody requested a move
	to       string // the sibling to move to; "" means the best one, for a guest its primary
	forGood  bool   // that sibling becomes the primary
}

// await returns when the session must end; ended reports that it ended on its own.
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
			asked = nil // the bus is closed, or dropped a slow subscriber
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

// answers reports whether a master whose subscription is down answers a sign-in. If it does,
// even with a refusal, it is not gone, and the minion must not circumvent the refusal at a
// sibling.
func answers(ctx context.Context, ch *channel.Channel) bool {
	ctx, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if !ch.Listens(ctx) {
		return false
	}
	_, err := ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// awaitPrimary returns true when the primary has been available for rehome_failback without
// interruption and is not draining.
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
		_ = conn.Close() // only to see that something listens
		switch {
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= m.Options.RehomeFailback*3/4:
			return true
		}
	}
	return false
}
