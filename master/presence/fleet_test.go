package presence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/presence"
)

// fleet is a master and many stock minions on a virtual clock; a seed drives them.
type fleet struct {
	t       *testing.T
	ctx     context.Context
	mu      sync.Mutex
	r       *presence.Registry
	who     *peers.Who
	stop    context.CancelFunc
	life    int
	last    uint64
	subs    map[uint64]chan string // by connection, while its minion reads
	running sync.WaitGroup
}

type unnamedConn struct {
	id   uint64
	life int
	h    *fleet
}

func (l unnamedConn) ID() uint64 { return l.id }
func (l unnamedConn) Close()     {}
func (l unnamedConn) Trust()     {}

// begin starts the master again.
func (h *fleet) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop != nil {
		h.stop()
	}
	h.life++
	h.subs = map[uint64]chan string{}
	h.r = presence.New(presence.Config{Asks: true})
	h.who = peers.NewWho(peers.WhoOptions{JID: jid.NewGenerator(time.Now, 0).Next, Secret: []byte("x"), Ask: h.ask})
	ctx, cancel := context.WithCancel(h.ctx)
	h.stop = cancel
	who := h.who
	h.running.Go(func() { who.Run(ctx) })
}

var errGone = errors.New("gone")

func (h *fleet) ask(conn uint64, jid string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	sub := h.subs[conn]
	if sub == nil {
		return errGone
	}
	select {
	case sub <- jid:
	default:
	}
	return nil
}

// open returns a new connection, and the questions sent over it.
func (h *fleet) open() (unnamedConn, chan string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	l := unnamedConn{h.last, h.life, h}
	sub := make(chan string, 16)
	h.subs[l.id] = sub
	h.r.Opened(l, presence.Before{})
	h.who.Add(l.id)
	return l, sub
}

// stopReading stops the minion of a connection from reading; the master notices with close.
func (h *fleet) stopReading(l unnamedConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.life == h.life {
		delete(h.subs, l.id)
	}
}

func (h *fleet) close(l unnamedConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.life == h.life {
		delete(h.subs, l.id)
		h.who.Remove(l.id)
		h.r.Closed(l.id)
	}
}

func (h *fleet) answer(id, jid string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if conn, ok := h.who.Answered(jid); ok {
		h.r.Named(conn, id)
	}
}

func (h *fleet) signIn(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.r.SignedIn(id)
}

// stock is one minion.
type stock struct {
	h      *fleet
	id     string
	rnd    *rand.Rand
	living bool // under h.mu
	lost   int  // answers in a row
}

func (s *stock) live(on bool) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.living = on
}

func (s *stock) upTo(d time.Duration) time.Duration { return time.Duration(s.rnd.Int64N(int64(d))) }

// reconnect returns libzmq's wait with the interval that Salt draws for it.
func (s *stock) reconnect() time.Duration {
	ivl := time.Second + s.upTo(10*time.Second)
	return ivl + s.upTo(ivl)
}

// run lives until the context ends: it starts, connects, answers, loses its connection with or
// without the master noticing, dies, starts again.
func (s *stock) run() {
	ctx := s.h.ctx
	_ = timing.Sleep(ctx, s.upTo(20*time.Second))
	for ctx.Err() == nil {
		s.h.signIn(s.id)
		s.live(true)
		startUp := s.upTo(3 * time.Second) // its pillar and modules
		if s.rnd.IntN(10) == 0 {
			startUp = s.upTo(100 * time.Second)
		}
		ready := time.Now().Add(startUp)
		for ctx.Err() == nil && s.connection(ready) {
			_ = timing.Sleep(ctx, s.reconnect())
		}
		_ = timing.Sleep(ctx, s.upTo(10*time.Minute))
	}
	s.live(false)
}

// connection is one connection; again is false if the minion died with it.
func (s *stock) connection(ready time.Time) (again bool) {
	l, sub := s.h.open()
	ctx, cancel := context.WithTimeout(s.h.ctx, 5*time.Second+s.upTo(10*time.Minute))
	defer cancel()
	s.listen(ctx, l, sub, ready)
	again = s.rnd.IntN(3) > 0
	if !again {
		s.live(false)
	}
	s.h.stopReading(l)
	if s.rnd.IntN(2) > 0 { // the master notices by its heartbeat only
		s.h.running.Go(func() {
			_ = timing.Sleep(s.h.ctx, 30*time.Second)
			s.h.close(l)
		})
		return again
	}
	s.h.close(l)
	return again
}

func (s *stock) listen(ctx context.Context, l unnamedConn, sub chan string, ready time.Time) {
	for {
		hears := sub
		if time.Now().Before(ready) { // the socket is connected, but the minion does not read yet
			hears = nil
		}
		select {
		case <-ctx.Done():
			return
		case jid := <-hears:
			if s.rnd.IntN(3) == 0 && s.lost < 2 {
				s.lost++
				continue
			}
			s.lost = 0
			if timing.Sleep(ctx, s.upTo(3*time.Second)) != nil {
				return
			}
			s.h.answer(s.id, jid)
		case <-time.After(time.Second):
			s.h.mu.Lock()
			over := l.life != s.h.life // the master has restarted
			s.h.mu.Unlock()
			if over {
				return
			}
		}
	}
}

// A minion that is connected or reconnecting is never reported down; one that is gone is, once
// there is proof. 30 seeds run 40 minions and 4 silent strangers for half an hour with three
// restarts of the master. Answers get lost, connections end unnoticed, and minions take up to
// 100 s to start.
func TestFleet_ConnectedMinionsAreNeverDown(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playFleet(t, seed) })
		})
	}
}

func playFleet(t *testing.T, seed uint64) {
	ctx, cancel := context.WithCancel(t.Context())
	h := &fleet{t: t, ctx: ctx}
	h.begin()
	var all []*stock
	for i := range 40 {
		s := &stock{h: h, id: fmt.Sprint("s", i), rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		all = append(all, s)
		h.running.Go(s.run)
	}
	rnd := rand.New(rand.NewPCG(seed, 1000))
	wrong := 0
	for second := range 1800 {
		if second == 600 || second == 900+rnd.IntN(60) {
			h.begin()
		}
		if second%500 == 50 {
			h.open() // a stranger who says nothing
		}
		time.Sleep(time.Second)
		h.mu.Lock()
		for _, s := range all {
			if h.r.Minion(s.id).Live != engine.Down {
				continue
			}
			if s.living {
				wrong++
				t.Errorf("second %d: %s runs and is reported down", second, s.id)
			}
		}
		h.mu.Unlock()
		if wrong > 3 {
			break
		}
	}
	cancel()
	h.running.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.subs {
		h.r.Closed(id)
	}
	time.Sleep(time.Minute)
	for _, s := range all {
		if live := h.r.Minion(s.id).Live; live != engine.Down {
			t.Errorf("%s is gone and reported %v", s.id, live)
		}
	}
}
