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
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/syndic/link"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/syndic/siblings"
)

// rehomer connects to a sibling of the only parent while that parent is gone.
type rehomer struct {
	upper   *config.Minion
	store   *siblings.Store
	parents *parents
	returns *returns.Forwarder
	// open returns an unconnected parent for a sibling.
	open func(name string, visit func(*channel.Config) error) (*parent, error)
	pace *link.Pace
	log  *slog.Logger
}

// run uses siblings of the parent until ctx ends. It keeps trying the parent, and leaves the
// sibling when the parent has been up for rehome_failback.
func (r *rehomer) run(ctx context.Context) {
	home := r.parents.links[0]
	after := r.upper.RehomeAfter
	for timing.Sleep(ctx, after/4+time.Millisecond) == nil {
		if !home.DownFor(after) {
			continue
		}
		if timing.Sleep(ctx, rand.N(after)) != nil {
			return
		}
		if !home.DownFor(after) || r.answers(ctx, home) {
			continue
		}
		order, voucher := r.store.Order(r.upper.ID)
		for _, n := range order {
			if err := r.useSibling(ctx, home, n, voucher); err == nil || ctx.Err() != nil {
				break
			} else {
				r.log.Warn("connection to sibling of parent failed", "sibling", n.ID, "err", err)
			}
		}
	}
}

// answers reports whether the parent answers a sign-in, even with a refusal: a sibling must not be
// a way around a refusal.
func (r *rehomer) answers(ctx context.Context, l *parent) bool {
	ctx, stop := context.WithTimeout(ctx, r.pace.Answer)
	defer stop()
	if !l.ch.Listens(ctx) {
		return false
	}
	_, err := l.ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// useSibling forwards through a sibling until the parent has been back for rehome_failback, or the
// sibling is gone too.
func (r *rehomer) useSibling(ctx context.Context, home *parent, n sibling.Node, voucher []byte) error {
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
	r.visit(n)
	r.log.Warn("parent lost, connecting to its sibling", "home", home.name, "sibling", n.ID, "addr", n.Addr())
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { l.run(ctx) })
	r.parents.standIn(l)
	r.returns.Shift()
	defer func() {
		r.parents.standIn()
		r.visit(n)
		cancel()
		wg.Wait()
		r.returns.Drop(context.WithoutCancel(ctx), l.returns.Dest()) // the parent has them, or has rows of its own for them
		// Nothing would ever remove the notes of what is still pending for it.
		o := r.parents.origins
		_ = o.Note(context.WithoutCancel(ctx), o.Done(l.ch.Addr(), o.Pending(l.ch.Addr())...)...)
		r.returns.Shift()
	}()
	for timing.Sleep(ctx, r.upper.RehomeAfter/4+time.Millisecond) == nil {
		switch {
		case home.BackFor(r.upper.RehomeFailback):
			r.log.Info("parent is back, leaving its sibling", "sibling", n.ID)
			return nil
		case l.DownFor(2 * r.upper.RehomeAfter):
			if home.IsUp() {
				return nil
			}
			return errors.New("connection to sibling lost")
		}
	}
	return nil
}

// visit notes that this node is, or was until now, at a sibling.
func (r *rehomer) visit(n sibling.Node) {
	if err := r.store.Visit(n.ID, time.Now()); err != nil {
		r.log.Warn("visit to a sibling of the parent not saved", "sibling", n.ID, "err", err)
	}
}
