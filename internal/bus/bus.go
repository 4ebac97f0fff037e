package bus

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Options configures a bus.
type Options struct {
	Now          func() time.Time // nil: time.Now
	MaxEventSize int              // of the bytes that leave the process; 0: DefaultMaxEventSize
}

// Bus is the in-process event bus. All methods are safe for concurrent use.
type Bus struct {
	now func() time.Time
	max int

	mu       sync.RWMutex
	closed   bool
	all      map[*Subscription]struct{}            // those without a prefix
	byPrefix map[string]map[*Subscription]struct{} // the others
	lengths  map[int]int                           // length of a prefix → how many prefixes have it

	fired, cut, dropped atomic.Uint64
}

// New makes a bus with Salt's defaults; now may be nil.
func New(now func() time.Time) *Bus { return NewBus(Options{Now: now}) }

// NewBus makes a bus.
func NewBus(o Options) *Bus {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxEventSize <= 0 {
		o.MaxEventSize = DefaultMaxEventSize
	}
	return &Bus{
		now:      o.Now,
		max:      o.MaxEventSize,
		all:      map[*Subscription]struct{}{},
		byPrefix: map[string]map[*Subscription]struct{}{},
		lengths:  map[int]int{},
	}
}

// Fire sends an event that arose here. data is a map in any form wire.Encode
// takes; a wire.Raw is not copied. A _stamp in it gives way to the present time.
func (b *Bus) Fire(tag string, data any) error {
	raw, ok := data.(wire.Raw)
	if !ok {
		var err error
		if raw, err = wire.Encode(data); err != nil {
			return fmt.Errorf("firing event %q: %w", tag, err)
		}
	}
	return b.FireEvent(Event{Tag: tag, Data: raw})
}

// FireEvent sends an event with its origin. A zero Stamp becomes the present
// time; a _stamp in the data is taken out.
func (b *Bus) FireEvent(e Event) error {
	if err := checkTag(e.Tag); err != nil {
		return err
	}
	rest, err := wire.Without(e.Data, "_stamp")
	if err != nil {
		return fmt.Errorf("firing event %q: %w", e.Tag, err)
	}
	e.Data = rest
	if e.Stamp.IsZero() {
		e.Stamp = b.now()
	}
	e.Stamp = e.Stamp.UTC().Truncate(time.Microsecond)
	e.form = &form{max: b.max}
	return b.deliver(e)
}

// deliver hands an event to all who want it.
func (b *Bus) deliver(e Event) error {
	var slow []*Subscription
	send := func(s *Subscription) {
		if s.match != nil && !s.match(e) {
			return
		}
		switch s.offer(e) {
		case offerCut:
			b.cut.Add(1)
			slow = append(slow, s)
		case offerDropped:
			b.dropped.Add(1)
		}
	}
	b.mu.RLock()
	if b.closed {
		b.mu.RUnlock()
		return ErrClosed
	}
	b.fired.Add(1)
	for s := range b.all {
		send(s)
	}
	for n := range b.lengths {
		if n > len(e.Tag) {
			continue
		}
		for s := range b.byPrefix[e.Tag[:n]] {
			if s.firstMatch(e.Tag) == n {
				send(s)
			}
		}
	}
	b.mu.RUnlock()
	for _, s := range slow {
		b.remove(s)
	}
	return nil
}

// Subscribe begins to queue the events o asks for. After Close of the bus the
// subscription's channel is closed from the start.
func (b *Bus) Subscribe(o SubscribeOptions) *Subscription {
	if o.Size <= 0 {
		o.Size = DefaultQueueSize
	}
	c := make(chan Event, o.Size)
	return b.subscribe(o, c, nil)
}

func (b *Bus) subscribe(o SubscribeOptions, c chan Event, sink func(Event) bool) *Subscription {
	s := &Subscription{bus: b, c: c, sink: sink, match: o.Match, drop: o.DropWhenFull, most: int64(o.Bytes)}
	s.prefixes = o.prefixes()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.end(false)
		return s
	}
	if len(s.prefixes) == 0 {
		b.all[s] = struct{}{}
	}
	for _, p := range s.prefixes {
		if b.byPrefix[p] == nil {
			b.byPrefix[p] = map[*Subscription]struct{}{}
			b.lengths[len(p)]++
		}
		b.byPrefix[p][s] = struct{}{}
	}
	return s
}

func (b *Bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, s)
	for _, p := range s.prefixes {
		set, ok := b.byPrefix[p]
		if !ok {
			continue
		}
		if delete(set, s); len(set) > 0 {
			continue
		}
		delete(b.byPrefix, p)
		if b.lengths[len(p)]--; b.lengths[len(p)] == 0 {
			delete(b.lengths, len(p))
		}
	}
}

// Close ends all subscriptions: what is queued can still be read, then their
// channels are closed. Fire then returns ErrClosed.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for s := range b.all {
		s.end(false)
	}
	for _, set := range b.byPrefix {
		for s := range set {
			s.end(false)
		}
	}
	b.all, b.byPrefix, b.lengths = nil, nil, nil
}

// Stats counts what a bus has done.
type Stats struct {
	Fired       uint64 // events
	Cut         uint64 // subscribers cut off because they were slow
	Dropped     uint64 // events that subscribers with DropWhenFull missed
	Subscribers int    // now
}

// Stats returns the counts since the bus was made.
func (b *Bus) Stats() Stats {
	b.mu.RLock()
	defer b.mu.RUnlock()
	seen := map[*Subscription]struct{}{}
	for _, set := range b.byPrefix {
		for s := range set {
			seen[s] = struct{}{}
		}
	}
	return Stats{
		Fired: b.fired.Load(), Cut: b.cut.Load(), Dropped: b.dropped.Load(),
		Subscribers: len(b.all) + len(seen),
	}
}
