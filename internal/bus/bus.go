package bus

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Options configures a [Bus].
type Options struct {
	Now          func() time.Time // nil means time.Now
	MaxEventSize int              // bound of an event that leaves the process, in bytes; 0 means DefaultMaxEventSize
}

// Bus is the in-process event bus. All methods are safe for concurrent use.
type Bus struct {
	now func() time.Time
	max int

	mu       sync.RWMutex
	closed   bool
	all      map[*Subscription]struct{}            // subscriptions without a prefix
	byPrefix map[string]map[*Subscription]struct{} // the others
	lengths  map[int]int                           // length of a prefix → how many prefixes have it

	fired, cut, dropped atomic.Uint64
}

// New returns a bus with Salt's defaults; now may be nil.
func New(now func() time.Time) *Bus { return NewBus(Options{Now: now}) }

// NewBus returns a bus.
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

// Fire fires an event of this process. data is a map in any form that wire.Encode accepts; a
// wire.Raw is not copied. The present time replaces a _stamp in data.
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

// FireEvent fires an event with its origin. The present time replaces a zero Stamp; a _stamp in
// the data is removed.
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

// deliver passes an event to all matching subscriptions.
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

// Subscribe starts to queue the events that o selects. After Close of the bus it returns a
// subscription whose channel is closed.
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

// Close ends all subscriptions: queued events can still be read, then the channels are closed.
// Fire returns ErrClosed from then on.
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

// Stats counts the events and subscribers of a bus.
type Stats struct {
	Fired       uint64 // events
	Cut         uint64 // subscribers that were cut off because they were slow
	Dropped     uint64 // events not queued for subscribers with DropWhenFull
	Subscribers int    // now
}

// Stats returns the counts since the bus was created.
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
