//go:build linux

package chaos

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// edge is a direction between two stations.
type edge struct{ from, to int }

// Weather is what happens to what goes one way between two stations.
type Weather struct {
	Cut    bool
	Loss   float64       // share of packets
	Delay  time.Duration // of each packet
	Jitter time.Duration // added at random, so that packets overtake each other
}

func (w Weather) clear() bool { return w == Weather{} }

func (w Weather) and(o Weather) Weather {
	return Weather{Cut: w.Cut || o.Cut, Loss: 1 - (1-w.Loss)*(1-o.Loss), Delay: w.Delay + o.Delay, Jitter: w.Jitter + o.Jitter}
}

// wait draws how long a packet takes.
func (w Weather) wait() time.Duration {
	d := w.Delay
	if w.Jitter > 0 {
		d += rand.N(w.Jitter)
	}
	return d
}

// sky holds the weather of all edges. Faults that overlap add up.
type sky struct {
	n    int
	now  []atomic.Pointer[Weather]
	mu   sync.Mutex
	next int
	on   map[int]front
	turn chan struct{} // closed when the weather changes
}

type front struct {
	edges []edge
	w     Weather
}

func newSky(n int) *sky {
	return &sky{n: n, now: make([]atomic.Pointer[Weather], n*n), on: map[int]front{}, turn: make(chan struct{})}
}

// at is the weather on an edge; nil when nothing happens there.
func (s *sky) at(from, to int) *Weather { return s.now[from*s.n+to].Load() }

// change gives a channel that is closed with the next change.
func (s *sky) change() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// begin sets weather on edges until end is called.
func (s *sky) begin(edges []edge, w Weather) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.on[id] = front{edges, w}
	s.settle(edges)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.on, id)
		s.settle(edges)
	}
}

func (s *sky) settle(edges []edge) {
	for _, e := range edges {
		var sum Weather
		for _, f := range s.on {
			for _, x := range f.edges {
				if x == e {
					sum = sum.and(f.w)
				}
			}
		}
		var p *Weather
		if !sum.clear() {
			p = &sum
		}
		s.now[e.from*s.n+e.to].Store(p)
	}
	close(s.turn)
	s.turn = make(chan struct{})
}

// network carries what stations say to each other.
type network interface {
	// address is where station from finds station to; of itself, where it listens.
	address(from, to int) string
	// within runs f, which starts a process, inside the station.
	within(station int, f func() error) error
	close() error
}
