package minion

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// stay is a link that is being served.
type stay struct {
	l    *link
	node sibling.Node // the sibling; zero at home
	away atomic.Bool
	stop context.CancelFunc
	done chan struct{}
	err  error // why it ended by itself; read after done
}

// begin serves a link on a goroutine of its own. res is a sign-in that was accepted
// already; nil signs in first, for as long as that takes.
func (m *Minion) begin(ctx context.Context, l *link, n sibling.Node, away bool, h *home, res *channel.Result) *stay {
	ctx, cancel := context.WithCancel(ctx)
	s := &stay{l: l, node: n, stop: cancel, done: make(chan struct{})}
	s.away.Store(away)
	go func() {
		defer close(s.done)
		if res == nil {
			r, err := l.signIn(ctx)
			if err != nil {
				s.err = err
				return
			}
			res = &r
		}
		asked := make(chan struct{})
		go func() { defer close(asked); m.askSiblings(ctx, s, h) }()
		l.serve(ctx, *res)
		<-asked
	}()
	return s
}

func (s *stay) leave() {
	s.stop()
	<-s.done
	_ = s.l.ch.Close()
}

// goHome begins at the home; with a sign-in it comes back at once if that fails.
// back: from a sibling.
func (m *Minion) goHome(ctx context.Context, h *home, box *outbox, sure *channel.Result, back bool) (*stay, error) {
	name := h.option
	var alter []func(*channel.Config) error
	if addr, n, ok := h.at(); addr != "" && ok {
		name = addr
		alter = append(alter, func(c *channel.Config) (err error) { *c, err = c.Visit(n, nil); return err })
	}
	l, err := newLink(m, name, box, 0, alter...)
	if err != nil {
		return nil, err
	}
	if back { // what it is at work on, its home may not know, or miss
		l.more, l.said = wire.NewMap("back", true), make(chan struct{})
	}
	if sure != nil {
		short, stop := context.WithTimeout(ctx, reach)
		res, err := l.ch.Attempt(short)
		stop()
		if err != nil {
			_ = l.ch.Close()
			return nil, err
		}
		sure = &res
	}
	return m.begin(ctx, l, sibling.Node{}, false, h, sure), nil
}

// visit begins at a sibling if that takes us.
func (m *Minion) visit(ctx context.Context, h *home, box *outbox, n sibling.Node, voucher []byte) (*stay, error) {
	l, err := newLink(m, n.Addr(), box, 1, func(c *channel.Config) (err error) { *c, err = c.Visit(n, voucher); return err })
	if err != nil {
		return nil, err
	}
	l.said = make(chan struct{})
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	res, err := l.ch.Attempt(short)
	if err != nil {
		_ = l.ch.Close()
		return nil, fmt.Errorf("move to %s: %w", n.ID, err)
	}
	return m.begin(ctx, l, n, true, h, &res), nil
}
