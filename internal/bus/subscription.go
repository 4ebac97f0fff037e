package bus

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultQueueSize is how many events wait for a subscriber at most.
const DefaultQueueSize = 1024

// SubscribeOptions says which events a subscriber gets and how many may wait.
type SubscribeOptions struct {
	// Prefix and Prefixes choose the events whose tag begins with one of them;
	// none chooses all. They are indexed: prefer them to Match.
	Prefix   string
	Prefixes []string

	// Match, when set, must also agree. It runs within Fire: it must be quick,
	// must not block and must not use the bus.
	Match func(e Event) bool

	// Size is how many events may wait; 0 means DefaultQueueSize.
	Size int

	// Bytes, when set, bounds the bytes of the events that wait, though one may be larger.
	// Whoever sets it calls [Subscription.Took] for each event that it has taken.
	Bytes int

	// DropWhenFull keeps a slow subscriber on and drops what it has no room
	// for, counted by Dropped, in place of cutting it off.
	DropWhenFull bool
}

// prefixes returns the wanted prefixes, each once; none when all is wanted.
func (o SubscribeOptions) prefixes() []string {
	out := slices.Clone(o.Prefixes)
	if o.Prefix != "" {
		out = append(out, o.Prefix)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if slices.Contains(out, "") {
		return nil
	}
	return out
}

// Subscription is one subscriber's queue.
type Subscription struct {
	bus      *Bus
	prefixes []string
	match    func(e Event) bool
	drop     bool
	most     int64            // bytes that may wait; 0: any number
	sink     func(Event) bool // takes the place of c for the sockets; must not block

	mu    sync.Mutex // guards sending to and closing c
	c     chan Event
	ended bool

	bytes   atomic.Int64 // that wait, where they are bounded
	lost    atomic.Bool
	dropped atomic.Uint64
}

func size(e Event) int64 { return int64(len(e.Tag) + len(e.Data)) }

// Took tells that an event was taken off C and does not wait any more.
func (s *Subscription) Took(e Event) { s.bytes.Add(-size(e)) }

// room tells whether an event may wait beside the others.
func (s *Subscription) room(e Event) bool {
	n := s.bytes.Load()
	//mutant:reactor-queue-bytes
	return s.most == 0 || n == 0 || n+size(e) <= s.most
}

type offered int

const (
	offerTaken offered = iota
	offerCut
	offerDropped
)

// offer queues an event if there is room.
func (s *Subscription) offer(e Event) offered {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return offerTaken
	}
	if s.sink != nil {
		if s.sink(e) {
			return offerTaken
		}
	} else if s.room(e) {
		s.bytes.Add(size(e)) // before it can be taken
		select {
		case s.c <- e:
			return offerTaken
		default:
			s.bytes.Add(-size(e))
		}
	}
	s.dropped.Add(1)
	if s.drop {
		return offerDropped
	}
	s.endLocked(true)
	return offerCut
}

func (s *Subscription) end(lost bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(lost)
}

func (s *Subscription) endLocked(lost bool) {
	if s.ended {
		return
	}
	s.ended = true
	s.lost.Store(lost)
	if s.c != nil {
		close(s.c)
	}
}

// firstMatch returns the length of the first prefix that tag has, so that a
// subscriber with several is served once.
func (s *Subscription) firstMatch(tag string) int {
	for _, p := range s.prefixes {
		if strings.HasPrefix(tag, p) {
			return len(p)
		}
	}
	return -1
}

// C is the channel of events. It is closed when the subscriber was too slow
// (see Lost), after Close, or when the bus closes; events queued before can
// still be read.
func (s *Subscription) C() <-chan Event { return s.c }

// Lost reports whether the subscriber was cut off because its queue was full.
func (s *Subscription) Lost() bool { return s.lost.Load() }

// Dropped counts the events that found the queue full.
func (s *Subscription) Dropped() uint64 { return s.dropped.Load() }

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.end(false)
	s.bus.remove(s)
}
