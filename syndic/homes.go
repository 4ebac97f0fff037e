package syndic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

// Failover is what lets the minions of the master beside move to siblings of the node.
type Failover interface {
	// HearSiblings takes the signed list of a master above, this node included.
	HearSiblings(told sibling.Told) error
	// NoSiblings takes that a master above tells this node of no siblings: no operator has
	// admitted it there as a home for others. changed: it did before.
	NoSiblings(parent string) (changed bool)
	// GoneKeys gives the keys that were deleted or rejected here, HearGone takes those
	// that were at siblings.
	GoneKeys() []sibling.Gone
	HearGone(gone []sibling.Gone) error
	// Home is what the node says of itself to the masters above.
	Home() sibling.Node
}

// lodgings is where this node itself may go when its one parent is gone. It is on
// disk, since the node may be started while the parent is away.
type lodgings struct {
	path string

	mu      sync.Mutex
	parent  string // id of the parent that told, as its siblings know it
	voucher []byte
	told    []sibling.Told
	lists   []sibling.List
}

// vouchEvery is how often a new voucher is asked for, which counts for some hours
// ([sibling.VoucherLife]).
const vouchEvery = time.Hour

// lodgingsFile lies in the folder of the node's own cache.
const lodgingsFile = "syndic_siblings.p"

func openLodgings(cachedir string) (*lodgings, error) {
	g := &lodgings{path: filepath.Join(cachedir, lodgingsFile)}
	d, err := wire.ReadMapFile(g.path)
	if err != nil {
		return g, err
	}
	g.parent, g.voucher = d.String("parent"), d.Bytes("voucher")
	if g.told, g.lists, err = sibling.ReadTold(d.List("lists")); err != nil {
		err = wire.SpoiltFile(g.path, err)
	}
	return g, err
}

func (g *lodgings) learn(reply *wire.Map) error {
	told, lists, bad := sibling.ReadTold(reply.List("lists"))
	g.mu.Lock()
	defer g.mu.Unlock()
	if reply.Bool("same") {
		told, lists = g.told, g.lists
	}
	g.parent, g.told, g.lists = reply.String("node"), told, lists
	if v := reply.Bytes("voucher"); len(v) > 0 {
		g.voucher = v
	}
	out := make([]any, 0, len(told))
	for _, t := range told {
		out = append(out, t.Map())
	}
	b, err := wire.Encode(wire.NewMap("parent", g.parent, "voucher", g.voucher, "lists", out))
	if err == nil {
		err = crypt.WriteFileLazy(g.path, b, 0o600)
	}
	if err != nil {
		err = fmt.Errorf("keep the parent's siblings: %w", err)
	}
	return errors.Join(bad, err)
}

func (g *lodgings) sum() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Sum(g.told...)
}

func (g *lodgings) order(id string) ([]sibling.Node, []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return sibling.Order(id, g.lists, g.parent), g.voucher
}

// askSiblings has the parent asked for the siblings, within the given time.
func (l *link) askSiblings(within time.Duration) {
	select {
	case l.homes <- within:
	default: // it is about to be asked anyway
	}
}

// tellSiblings tells the parent where this node serves, and hears who its siblings
// are and where the node may go: at each connect, when the parent says that something
// has changed, and every now and then.
func (l *link) tellSiblings(ctx context.Context) {
	local := l.s.failover
	if local == nil {
		return
	}
	var told sibling.Node
	var last, vouched time.Time
	below := ""      // stands for the list that was heard last
	gone := graves{} // which keys are gone, as the parent knows and tells
	for {
		select {
		case <-ctx.Done():
			return
		case within := <-l.homes:
			if sleep.For(ctx, rand.N(within+1)) != nil {
				return
			}
			last = time.Time{}
		case <-time.After(l.s.pace.siblings/10 + rand.N(l.s.pace.siblings/10+1)):
		}
		if !l.isUp() {
			last = time.Time{}
			continue
		}
		me := local.Home()
		keys := local.GoneKeys()
		if me == told && gone.known(keys) && time.Since(last) < l.s.pace.siblings {
			continue
		}
		short, stop := context.WithTimeout(ctx, l.s.pace.answer)
		want := !l.guest && time.Since(vouched) > vouchEvery
		question := wire.NewMap("port", me.Port, "host", me.Host, "pub", me.Pub, "draining", me.Draining, "voucher", want,
			"have", l.s.lodgings.sum(), "have_below", below)
		if !l.guest { // whose siblings are others
			gone.ask(question, keys)
		}
		reply, known, err := l.ch.Siblings(short, question)
		stop()
		switch {
		case err != nil:
			l.log.Debug("The master above did not tell this node's siblings", "err", err)
			continue
		case !known:
			last, told = time.Now().Add(time.Hour), me // a Python master: it is asked at the next connect
			continue
		}
		last, told = time.Now(), me
		if want {
			vouched = last
		}
		err = l.hearSiblings(local, reply)
		if b := reply.Map("below"); b != nil && err == nil {
			below = sibling.Sum(sibling.Told{Body: b.Bytes("body"), Sig: b.Bytes("sig")})
		}
		if !l.guest {
			err = errors.Join(err, gone.hear(local, reply))
		}
		if err != nil {
			l.log.Warn("What the master above says about siblings is not all believed", "err", err)
		}
	}
}

// graves is what a parent knows of the keys that are gone here, and has told of others.
type graves struct{ said, sent, heard string }

// known tells whether the parent knows of these, or has just been told.
func (g *graves) known(keys []sibling.Gone) bool {
	sum := sibling.SumGone(keys)
	return g.said == sum || g.sent == sum
}

// ask adds to a question what the parent does not know yet.
func (g *graves) ask(question *wire.Map, keys []sibling.Gone) {
	question.Set("have_gone", g.heard)
	if sum := sibling.SumGone(keys); g.said != sum {
		question.Set("gone", sibling.GoneMaps(keys))
		g.sent = sum
	}
}

// hear takes the answer. One without a word of it is an earlier version's, or that of a master
// which has not admitted this node.
func (g *graves) hear(local Failover, reply *wire.Map) error {
	if !reply.Has("gone_have") {
		g.said = sibling.SumGone(local.GoneKeys())
		return nil
	}
	g.said = reply.String("gone_have")
	if !reply.Has("gone") {
		return nil
	}
	gone, bad := sibling.ReadGone(reply.List("gone"))
	err := local.HearGone(gone)
	if err == nil {
		g.heard = sibling.SumGone(gone)
	}
	return errors.Join(bad, err)
}

func (l *link) hearSiblings(local Failover, reply *wire.Map) error {
	var errs []error
	// A guest is not among the nodes of the master above, so that its own minions
	// have no siblings there: those stay what their home has told.
	if below := reply.Map("below"); below != nil && !l.guest {
		t := sibling.Told{Body: below.Bytes("body"), Sig: below.Bytes("sig"), Pub: below.String("pub")}
		now, _ := l.ch.Current()
		if sibling.Finger(t.Pub) != sibling.Finger(now.MasterPub) {
			errs = append(errs, fmt.Errorf("list of siblings: %w: it is signed with another key than the master's", sibling.ErrBad))
		} else {
			errs = append(errs, local.HearSiblings(t))
		}
	}
	if admitted, told := reply.Get("admitted"); told && admitted == false && !l.guest {
		if local.NoSiblings(reply.String("node")) || !l.unadmitted.Swap(true) {
			l.log.Warn("The master above has not admitted this node as a home for others: its minions know of no siblings; give `mom node admit " + l.s.ID() + "` there, or set rehome: False here")
		}
	} else if told := reply.Has("below"); told {
		l.unadmitted.Store(false)
	}
	if !l.guest {
		errs = append(errs, l.s.lodgings.learn(reply))
	}
	return errors.Join(errs...)
}

// rehome keeps a way up while the one parent is gone: to a sibling of it. The way
// home is tried all the time; when it has stood for rehome_failback the sibling is
// left.
func (s *Syndic) rehome(ctx context.Context) {
	if s.failover == nil || len(s.parents.links) != 1 {
		return
	}
	home := s.parents.links[0]
	after := s.cfg.Upper.RehomeAfter
	for sleep.For(ctx, after/4+time.Millisecond) == nil {
		if !home.downFor(after) {
			continue
		}
		if sleep.For(ctx, rand.N(after)) != nil {
			return
		}
		if !home.downFor(after) || s.answers(ctx, home) {
			continue
		}
		order, voucher := s.lodgings.order(s.ID())
		for _, n := range order {
			if err := s.lodge(ctx, home, n, voucher); err == nil || ctx.Err() != nil {
				break
			} else {
				s.log.Warn("A sibling of the master above does not take this node", "sibling", n.ID, "err", err)
			}
		}
	}
}

// answers tells whether the parent says something to a sign-in, be it a refusal: a
// sibling must not be a way around that.
func (s *Syndic) answers(ctx context.Context, l *link) bool {
	ctx, stop := context.WithTimeout(ctx, s.pace.answer)
	defer stop()
	if !l.ch.Listens(ctx) {
		return false
	}
	_, err := l.ch.Attempt(ctx)
	return err == nil || ctx.Err() == nil && !errors.Is(err, channel.ErrNoAnswer)
}

// lodge goes over a sibling until the home has been back for a while, or the
// sibling is gone too.
func (s *Syndic) lodge(ctx context.Context, home *link, n sibling.Node, voucher []byte) error {
	l, err := openLink(s, n.Addr(), true, func(c *channel.Config) (err error) { *c, err = c.Visit(n, voucher); return err })
	if err != nil {
		return err
	}
	l.guest = true
	defer l.ch.Close()
	short, stop := context.WithTimeout(ctx, s.pace.answer)
	_, err = l.ch.Attempt(short)
	stop()
	if err != nil {
		return err
	}
	s.log.Warn("The master above is gone; this node goes over a sibling of it", "home", home.name, "sibling", n.ID, "addr", n.Addr())
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { l.run(ctx) })
	s.parents.standIn(l)
	s.returns.shift()
	defer func() {
		s.parents.standIn()
		cancel()
		wg.Wait()
		s.returns.drop(context.WithoutCancel(ctx), l.returns.dest) // the home has had all of it, or is owed it
		// What it is owed still would be too much that is remembered, some time.
		o := s.parents.origins
		_ = o.note(context.WithoutCancel(ctx), o.given(l.ch.Addr(), o.owing(l.ch.Addr())...)...)
		s.returns.shift()
	}()
	for sleep.For(ctx, s.cfg.Upper.RehomeAfter/4+time.Millisecond) == nil {
		switch {
		case home.BackFor(s.cfg.Upper.RehomeFailback):
			s.log.Info("The master above is back; the sibling is left", "sibling", n.ID)
			return nil
		case l.downFor(2 * s.cfg.Upper.RehomeAfter):
			if home.isUp() {
				return nil
			}
			return errors.New("it is gone, too")
		}
	}
	return nil
}

// downFor tells whether there has been no subscription for d.
func (l *link) downFor(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.up && time.Since(l.since) >= d
}
