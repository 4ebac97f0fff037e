package bus

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultQueueSize is the default number of events that may wait for a subscriber.
const DefaultQueueSize = 1024

// SubscribeOptions select the events of a subscriber and bound its queue.
type SubscribeOptions struct {
	// Prefix and Prefixes select the events whose tag begins with one of them; without any, all
	// events. They are indexed: prefer them to Match.
	Prefix   string
	Prefixes []string

	// Match, if set, must also return true. It runs within Fire: it must be fast, must not
	// block and must not use the bus.
	Match func(e Event) bool

	// Size is the number of events that may wait; 0 means DefaultQueueSize.
	Size int

	// Bytes, if set, bounds the bytes of the waiting events, though one may be larger. The
	// subscriber must then call [Subscription.Took] for each event that it has received.
	Bytes int

	// DropWhenFull keeps a slow subscriber and drops events that do not fit, which Dropped
	// counts, instead of cutting it off.
	DropWhenFull bool
}

// prefixes returns the selected prefixes, each once; none if all events are selected.
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

// Subscription is the queue of one subscriber.
type Subscription struct {
	bus      *Bus
	prefixes []string
	match    func(e Event) bool
	drop     bool
	most     int64            // bytes that may wait; 0 means no limit
	sink     func(Event) bool // replaces c for the sockets; must not block

	mu    sync.Mutex // guards sending to and closing c
	c     chan Event
	ended bool

	bytes   atomic.Int64 // bytes of waiting events, if bounded
	lost    atomic.Bool
	dropped atomic.Uint64
}

func size(e Event) int64 { return int64(len(e.Tag) + len(e.Data)) }

// Took records that an event was received from C and does not wait any more.
func (s *Subscription) Took(e Event) { s.bytes.Add(-size(e)) }

// room reports whether the queue has room for an event.
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
		s.bytes.Add(size(e)) // before the subscriber can receive it
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

// firstMatch returns the length of the first prefix that matches tag, so that a subscriber with
// several matching prefixes gets the event once.
func (s *Subscription) firstMatch(tag string) int {
	for _, p := range s.prefixes {
		if strings.HasPrefix(tag, p) {
			return len(p)
		}
	}
	return -1
}

// C returns the channel of events. It is closed when the subscriber was too slow (see Lost),
// after Close, or when the bus closes; events queued before can still be read.
func (s *Subscription) C() <-chan Event { return s.c }

// Lost reports whether the subscriber was cut off because its queue was full.
func (s *Subscription) Lost() bool { return s.lost.Load() }

// Dropped returns the number of events that did not fit into the queue.
func (s *Subscription) Dropped() uint64 { return s.dropped.Load() }

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.end(false)
	s.bus.remove(s)
}
