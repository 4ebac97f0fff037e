package minion

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// moveTag is the local event that asks the minion to move; `mom node drain` and
	// `mom node rebalance` have it fired by the function event.fire.
	moveTag = "mom/home/move"
	// askEvery is how often the siblings are asked for while all is well.
	askEvery = 5 * time.Minute
	// vouchEvery is how often a new voucher is asked for; it counts for two days.
	vouchEvery = time.Hour
	// arrival is how long a move waits for the new subscription before the old one
	// is given up all the same.
	arrival = 10 * time.Second
	// reach is the time a master that seems gone has for a last word, and one that
	// is tried for an answer.
	reach = 3 * time.Second
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

// wish is what ends a stay.
type wish struct {
	lost, back bool
	to         string // a sibling to move to; "": the best one
	asked      bool   // to move
	settle     bool   // that sibling is the home from then on
}

// rehoming serves the one master the option names while it is there, a sibling of
// it otherwise. A move begins at the new place before it ends at the old one.
func (m *Minion) rehoming(ctx context.Context, option string) error {
	h, err := openHome(m.cfg.Cachedir, option)
	if err != nil {
		m.log.Warn("what was known of the master's siblings is not used", "error", err)
	}
	box, err := openOutbox(m.outboxDir(option), m.log)
	if err != nil {
		return err
	}
	moves := m.bus.Subscribe(bus.SubscribeOptions{Size: 16, Match: func(tag string) bool { return tag == moveTag }})
	defer moves.Close()
	cur, err := m.goHome(ctx, h, box, nil)
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
				if next, err = m.goHome(ctx, h, box, nil); err != nil {
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
func (m *Minion) goHome(ctx context.Context, h *home, box *outbox, sure *channel.Result) (*stay, error) {
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

// follow goes where the wish leads; nil: nowhere, all stays as it is.
func (m *Minion) follow(ctx context.Context, w wish, cur *stay, h *home, box *outbox) *stay {
	if w.back || cur.away.Load() && w.lost {
		next, err := m.goHome(ctx, h, box, &channel.Result{})
		if err == nil {
			m.log.Info("back at the home master", "master", next.l.name)
			return m.arrived(ctx, next)
		}
		if w.back {
			m.log.Warn("the home master is back, but does not take us", "error", err)
			return nil
		}
	}
	here, homeNode := cur.node.ID, ""
	if !cur.away.Load() {
		h.mu.Lock()
		here = h.node
		h.mu.Unlock()
	} else if _, n, ok := h.at(); ok {
		homeNode = n.ID
	}
	order, voucher := h.others(m.cfg.ID, here, homeNode)
	if w.to != "" {
		n, v, ok := h.find(w.to)
		if !ok || n.ID == here {
			m.log.Warn("asked to move to a node that is no sibling of ours", "to", w.to)
			return nil
		}
		order, voucher = []sibling.Node{n}, v
	}
	for _, n := range order {
		next, err := m.visit(ctx, h, box, n, voucher)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			m.log.Warn("a sibling of the master does not take us", "sibling", n.ID, "error", err)
			continue
		}
		m.log.Warn("moved to a sibling of the master", "from", cur.l.name, "to", n.ID, "addr", n.Addr(), "asked", w.asked)
		next = m.arrived(ctx, next)
		if w.asked && !w.settle {
			m.sayLeave(ctx, cur, n.ID)
		}
		if w.settle {
			m.settleAt(ctx, cur, next, h)
		}
		return next
	}
	return nil
}

// arrived waits until the subscription at the new place stands, so that nothing is
// published past us while we move.
func (m *Minion) arrived(ctx context.Context, next *stay) *stay {
	short, stop := context.WithTimeout(ctx, arrival)
	defer stop()
	_ = next.l.up.await(short, true) // else it is served and comes up, or is lost, as any
	return next
}

// sayLeave tells the master that is left where we are meanwhile, so that it does
// not miss us.
func (m *Minion) sayLeave(ctx context.Context, cur *stay, to string) {
	if cur.away.Load() {
		return
	}
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	if _, _, err := cur.l.ch.Siblings(short, wire.NewMap("leaves", to)); err != nil {
		m.log.Debug("the master was not told that we leave", "error", err)
	}
}

// settleAt makes the new place the home and tells both sides.
func (m *Minion) settleAt(ctx context.Context, cur, next *stay, h *home) {
	short, stop := context.WithTimeout(ctx, reach)
	defer stop()
	reply, known, err := next.l.ch.Siblings(short, wire.NewMap("stay", true, "voucher", true))
	if err != nil || !known {
		m.log.Warn("the new node was not told that we stay; we go back some time", "error", err)
		return
	}
	if err := h.settle(next.node); err != nil {
		m.log.Warn("the new home could not be written down", "error", err)
		return
	}
	next.away.Store(false)
	next.node = sibling.Node{}
	if err := h.learn(reply, true); err != nil {
		m.log.Warn("the siblings of the new home are not known yet", "error", err)
	}
	if _, _, err := cur.l.ch.Siblings(short, wire.NewMap("leaves", reply.String("node"), "forever", true)); err != nil {
		m.log.Warn("the old home was not told that we left", "error", err)
	}
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
		name, n, known := h.at()
		if name == "" {
			name = h.option
		}
		if known && n.Draining {
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

// askSiblings asks the master for its siblings: soon after the subscription
// stands, since a master may die any time, then now and then.
func (m *Minion) askSiblings(ctx context.Context, s *stay, h *home) {
	wait, vouched := time.Duration(0), time.Time{}
	for {
		if s.l.up.await(ctx, true) != nil {
			return
		}
		if sleep.For(ctx, wait+rand.N(m.cfg.RehomeAfter)) != nil {
			return
		}
		short, stop := context.WithTimeout(ctx, 10*time.Second)
		want := !s.away.Load() && time.Since(vouched) > vouchEvery
		reply, known, err := s.l.ch.Siblings(short, wire.NewMap("voucher", want, "have", h.sum()))
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.Debug("the master did not tell its siblings", "error", err)
		case !known:
			return
		default:
			if want {
				vouched = time.Now()
			}
			if err := h.learn(reply, !s.away.Load()); err != nil {
				m.log.Warn("the siblings of the master are not all believed", "error", err)
			}
		}
		wait = askEvery
		h.mu.Lock()
		here := h.node
		h.mu.Unlock()
		if order, _ := h.others(m.cfg.ID, here); len(order) == 0 || s.away.Load() {
			wait = 5 * m.cfg.RehomeAfter
		}
	}
}
