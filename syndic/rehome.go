package syndic

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/syndic/pace"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/syndic/siblings"
)

// rehomer keeps a way up while the one parent is gone: to a sibling of it.
type rehomer struct {
	upper    *config.Minion
	lodgings *siblings.Lodgings
	parents  *parents
	returns  *returns.Forwarder
	// open makes the way to a sibling, which is not connected yet.
	open func(name string, visit func(*channel.Config) error) (*parent, error)
	pace *pace.Pace
	log  *slog.Logger
}

// run goes to siblings until ctx ends. The way home is tried all the time; when it has
// stood for rehome_failback the sibling is left.
func (r *rehomer) run(ctx context.Context) {
	home := r.parents.links[0]
	after := r.upper.RehomeAfter
	for sleep.For(ctx, after/4+time.Millisecond) == nil {
		if !home.DownFor(after) {
			continue
		}
		if sleep.For(ctx, rand.N(after)) != nil {
			return
		}
		if !home.DownFor(after) || r.answers(ctx, home) {
			continue
		}
		order, voucher := r.lodgings.Order(r.upper.ID)
		for _, n := range order {
			if err := r.lodge(ctx, home, n, voucher); err == nil || ctx.Err() != nil {
				break
			} else {
				r.log.Warn("sibling of the parent refused this node", "sibling", n.ID, "err", err)
			}
		}
	}
}

// answers tells whether the parent says something to a sign-in, be it a refusal: a
// sibling must not be a way around that.
func (r *rehomer) answers(ctx context.Context, l *parent) bool {
	ctx, stop := context.WithTimeout(ctx, r.pace.Answer)
	defer stop()
	if !l.ch.Listens(ctx) {
		return false
	}
	_, err := l.ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// lodge goes over a sibling until the home has been back for a while, or the
// sibling is gone too.
func (r *rehomer) lodge(ctx context.Context, home *parent, n sibling.Node, voucher []byte) error {
	l, err := r.open(n.Addr(), func(c *channel.Config) (err error) { *c, err = c.Visit(n, voucher); return err })
	if err != nil {
		return err
	}
	defer l.ch.Close()
	short, stop := context.WithTimeout(ctx, r.pace.Answer)
	_, err = l.ch.Attempt(short)
	stop()
	if err != nil {
		return err
	}
	r.log.Warn("parent lost, connecting to its sibling", "home", home.name, "sibling", n.ID, "addr", n.Addr())
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { l.run(ctx) })
	r.parents.standIn(l)
	r.returns.Shift()
	defer func() {
		r.parents.standIn()
		cancel()
		wg.Wait()
		r.returns.Drop(context.WithoutCancel(ctx), l.returns.Dest()) // the home has had all of it, or is owed it
		// What it is owed still would be too much that is remembered, some time.
		o := r.parents.origins
		_ = o.Note(context.WithoutCancel(ctx), o.Given(l.ch.Addr(), o.Owing(l.ch.Addr())...)...)
		r.returns.Shift()
	}()
	for sleep.For(ctx, r.upper.RehomeAfter/4+time.Millisecond) == nil {
		switch {
		case home.BackFor(r.upper.RehomeFailback):
			r.log.Info("parent is back, leaving its sibling", "sibling", n.ID)
			return nil
		case l.DownFor(2 * r.upper.RehomeAfter):
			if home.IsUp() {
				return nil
			}
			return errors.New("it is gone, too")
		}
	}
	return nil
}
