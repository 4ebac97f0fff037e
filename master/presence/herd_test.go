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
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/findjob"
	"github.com/momtree/mom/master/presence"
)

// herd is a master's side and many stock minions, on a virtual clock: what they do is
// drawn by a seed.
type herd struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	r    *presence.Registry
	who  *findjob.Who
	stop context.CancelFunc
	life int
	last uint64
	ears map[uint64]chan string // of connections whose minion hears, by connection
	born sync.WaitGroup
}

type line struct {
	id   uint64
	life int
	h    *herd
}

func (l line) ID() uint64 { return l.id }
func (l line) Close()     {}
func (l line) Trust()     {}

// begin starts a life of the master.
func (h *herd) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop != nil {
		h.stop()
	}
	h.life++
	h.ears = map[uint64]chan string{}
	h.r = presence.New(presence.Config{Asks: true})
	h.who = findjob.NewWho(findjob.WhoOptions{JID: jid.NewGenerator(time.Now, 0).Next, Secret: []byte("x"), Ask: h.ask})
	ctx, cancel := context.WithCancel(h.ctx)
	h.stop = cancel
	who := h.who
	h.born.Go(func() { who.Run(ctx) })
}

var errGone = errors.New("gone")

func (h *herd) ask(conn uint64, jid string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	ear := h.ears[conn]
	if ear == nil {
		return errGone
	}
	select {
	case ear <- jid:
	default:
	}
	return nil
}

// open gives a new connection, and what is asked over it.
func (h *herd) open() (line, chan string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	l := line{h.last, h.life, h}
	ear := make(chan string, 16)
	h.ears[l.id] = ear
	h.r.Opened(l, presence.Before{})
	h.who.Add(l.id)
	return l, ear
}

// deaf has the minion of a connection hear nothing any more; the master sees its end
// with close.
func (h *herd) deaf(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.life == h.life {
		delete(h.ears, l.id)
	}
}

func (h *herd) close(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.life == h.life {
		delete(h.ears, l.id)
		h.who.Remove(l.id)
		h.r.Closed(l.id)
	}
}

func (h *herd) answer(id, jid string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if conn, ok := h.who.Answered(jid); ok {
		h.r.Named(conn, id)
	}
}

func (h *herd) signIn(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.r.SignedIn(id)
}

// stock is one minion.
type stock struct {
	h      *herd
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

// reconnect is libzmq's wait with what Salt draws for it.
func (s *stock) reconnect() time.Duration {
	ivl := time.Second + s.upTo(10*time.Second)
	return ivl + s.upTo(ivl)
}

// run lives until the context ends: it starts, connects, answers, loses its
// connection with or without the master seeing it, dies, starts again.
func (s *stock) run() {
	ctx := s.h.ctx
	_ = sleep.For(ctx, s.upTo(20*time.Second))
	for ctx.Err() == nil {
		s.h.signIn(s.id)
		s.live(true)
		startUp := s.upTo(3 * time.Second) // its pillar and modules
		if s.rnd.IntN(10) == 0 {
			startUp = s.upTo(100 * time.Second)
		}
		ready := time.Now().Add(startUp)
		for ctx.Err() == nil && s.connection(ready) {
			_ = sleep.For(ctx, s.reconnect())
		}
		_ = sleep.For(ctx, s.upTo(10*time.Minute))
	}
	s.live(false)
}

// connection is one connection; again is false when the minion died with it.
func (s *stock) connection(ready time.Time) (again bool) {
	l, ear := s.h.open()
	ctx, cancel := context.WithTimeout(s.h.ctx, 5*time.Second+s.upTo(10*time.Minute))
	defer cancel()
	s.listen(ctx, l, ear, ready)
	again = s.rnd.IntN(3) > 0
	if !again {
		s.live(false)
	}
	s.h.deaf(l)
	if s.rnd.IntN(2) > 0 { // nothing tells the master, until its heartbeat does
		s.h.born.Go(func() {
			_ = sleep.For(s.h.ctx, 30*time.Second)
			s.h.close(l)
		})
		return again
	}
	s.h.close(l)
	return again
}

func (s *stock) listen(ctx context.Context, l line, ear chan string, ready time.Time) {
	for {
		hears := ear
		if time.Now().Before(ready) { // its library has connected, it itself reads nothing yet
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
			if sleep.For(ctx, s.upTo(3*time.Second)) != nil {
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

// A minion that is connected, or on its way back, is never told to be down; one that
// is gone is, once the proof is there. Size: 40 minions and 4 mute strangers, half an
// hour and three lives of the master, by 30 seeds; answers get lost, connections end
// unseen, minions take up to 100 s to start.
func TestHerd_TheLivingAreNeverDown(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playHerd(t, seed) })
		})
	}
}

func playHerd(t *testing.T, seed uint64) {
	ctx, cancel := context.WithCancel(t.Context())
	h := &herd{t: t, ctx: ctx}
	h.begin()
	var all []*stock
	for i := range 40 {
		s := &stock{h: h, id: fmt.Sprint("s", i), rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		all = append(all, s)
		h.born.Go(s.run)
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
				t.Errorf("second %d: %s lives and is told to be down", second, s.id)
			}
		}
		h.mu.Unlock()
		if wrong > 3 {
			break
		}
	}
	cancel()
	h.born.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.ears {
		h.r.Closed(id)
	}
	time.Sleep(time.Minute)
	for _, s := range all {
		if live := h.r.Minion(s.id).Live; live != engine.Down {
			t.Errorf("%s is gone, and %v", s.id, live)
		}
	}
}
