package failover

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// active is a session in use.
type active struct {
	Session
	node    sibling.Node // the sibling; zero at the primary
	guest   atomic.Bool
	changes chan time.Duration // signals new siblings at the master, to request within that time
	stop    context.CancelFunc
	done    chan struct{}
	err     error // why it ended on its own; read after done
}

// open prepares a session.
func (m *mover) open(name string, o SessionOptions) (*active, error) {
	a := &active{changes: make(chan time.Duration, 1), done: make(chan struct{})}
	o.Changed = func(n nodecall.Change) {
		if n.What != sibling.Changed {
			return
		}
		select {
		case a.changes <- n.Within:
		default: // a request is due anyway
		}
	}
	if o.Announce == nil {
		o.Announce = func() *wire.Map { return m.known.announcement(false, time.Now()) }
	}
	var err error
	a.Session, err = m.Open(name, o)
	return a, err
}

// leave notes that the minion leaves the master of a session.
func (m *mover) leave(a *active) {
	id := a.node.ID
	if !a.guest.Load() {
		id = m.known.primaryID()
	}
	if err := m.known.leave(id, time.Now()); err != nil {
		m.Log.Warn("master that this minion left not saved", "err", err)
	}
}

// serve runs the session on a goroutine. res is an accepted sign-in; with nil, serve signs in
// first, for as long as that takes.
func (m *mover) serve(ctx context.Context, a *active, res *channel.Result) *active {
	ctx, a.stop = context.WithCancel(ctx)
	go func() {
		defer close(a.done)
		if res == nil {
			r, err := a.SignIn(ctx)
			if err != nil {
				a.err = err
				return
			}
			res = &r
		}
		asked := make(chan struct{})
		go func() { defer close(asked); m.askSiblings(ctx, a) }()
		a.Serve(ctx, *res)
		<-asked
	}()
	return a
}

// attempt serves the session if the master accepts the minion at once.
func (m *mover) attempt(ctx context.Context, a *active) (*active, error) {
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	res, err := a.Channel().Attempt(short)
	if err != nil {
		_ = a.Channel().Close()
		return nil, err
	}
	return m.serve(ctx, a, &res), nil
}

func (a *active) leave() {
	a.stop()
	<-a.done
	_ = a.Channel().Close()
}

// primary serves the primary. With atOnce it gives up when the first sign-in fails. back
// reports that the minion comes from a sibling.
func (m *mover) primary(ctx context.Context, atOnce, back bool) (*active, error) {
	name, o := m.Master, SessionOptions{}
	if addr, n, ok := m.known.primary(); addr != "" && ok {
		name = addr
		o.Change = func(c *channel.Config) (err error) { *c, err = c.Visit(n, nil); return err }
	}
	if back { // the primary may not know our running jobs, or may have counted us missing
		o.Announce, o.AnnounceFirst = func() *wire.Map { return m.known.announcement(true, time.Now()) }, arrival
	}
	a, err := m.open(name, o)
	switch {
	case err != nil:
		return nil, err
	case atOnce:
		return m.attempt(ctx, a)
	default:
		return m.serve(ctx, a, nil), nil
	}
}

// sibling serves a sibling as a guest if the sibling accepts the minion.
func (m *mover) sibling(ctx context.Context, n sibling.Node, voucher []byte) (*active, error) {
	a, err := m.open(n.Addr(), SessionOptions{
		AuthTries: 1, AnnounceFirst: arrival,
		Change: func(c *channel.Config) (err error) { *c, err = c.Visit(n, voucher); return err },
	})
	if err != nil {
		return nil, err
	}
	a.node = n
	a.guest.Store(true)
	if a, err = m.attempt(ctx, a); err != nil {
		return nil, fmt.Errorf("move to %s: %w", n.ID, err)
	}
	return a, nil
}

// configured serves the master of the option as a guest, with a voucher of the primary.
func (m *mover) configured(ctx context.Context) (*active, error) {
	//mutant:failover-minion-announces-first
	a, err := m.open(m.Master, SessionOptions{
		AuthTries: 1, AnnounceFirst: arrival,
		Change: func(c *channel.Config) error { c.Voucher = m.known.moved(); return nil },
	})
	if err != nil {
		return nil, err
	}
	a.guest.Store(true)
	return m.attempt(ctx, a)
}
