package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
)

// Event is an event of the master's bus.
type Event struct {
	Tag string
	// Time is when the event was fired, in UTC, by the clock of the sender.
	Time time.Time
	// Data is a map.
	Data Raw
}

// Bounds of the events that wait for a reader of a [Subscription].
const (
	maxWaiting      = 16 << 10 // a job of ten thousand minions ends in one burst
	maxWaitingBytes = 16 << 20
)

// Subscription is a stream of the bus events whose tags begin with one of a few prefixes.
//
// It buffers up to 16,384 events with 16 MiB. Further events wait at the master, which buffers
// about 1000 events of all tags and disconnects a reader that does not keep up. The
// subscription then returns the buffered events and ends with [ErrBusLost]. To learn what
// happened meanwhile, subscribe again and query the master.
type Subscription struct {
	bus      *bus.Client
	prefixes []string
	stop     context.CancelFunc
	done     chan struct{} // closed when read returns

	mu      sync.Mutex
	waiting []Event
	bytes   int
	err     error         // why the subscription ended
	more    chan struct{} // an event or an error is available
	room    chan struct{} // an event was taken
}

// Subscribe opens the event bus. No event of the prefixes is missed after it returns; without
// prefixes it receives all events. ctx bounds the opening only. The subscription lasts until
// it is closed.
func (c *Client) Subscribe(ctx context.Context, prefixes ...string) (*Subscription, error) {
	b, err := c.openBus(ctx)
	if err != nil {
		return nil, err
	}
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Subscription{
		bus: b, prefixes: slices.Clone(prefixes), stop: stop,
		done: make(chan struct{}), more: make(chan struct{}, 1), room: make(chan struct{}, 1),
	}
	go s.read(reading)
	return s, nil
}

// Close ends the subscription; a blocked Next returns [ErrClosed].
func (s *Subscription) Close() error {
	s.end(ErrClosed)
	s.stop()
	err := s.bus.Close()
	<-s.done
	return err
}

// Next blocks until the next event. If ctx ends first, it returns the error of ctx and no event
// is lost. Next is not safe for concurrent use.
func (s *Subscription) Next(ctx context.Context) (Event, error) {
	for {
		e, ok, err := s.take()
		if ok || err != nil {
			return e, err
		}
		select {
		case <-s.more:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// All iterates over the events until an error, which is the last of the sequence: that of
// ctx, or one of Next.
func (s *Subscription) All(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			e, err := s.Next(ctx)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// read reads events from the master until ctx ends or the bus is disconnected.
func (s *Subscription) read(ctx context.Context) {
	defer close(s.done)
	for {
		e, err := s.bus.Next(ctx)
		if err != nil {
			s.end(fmt.Errorf("%w: %w", ErrBusLost, err))
			return
		}
		if !s.wanted(e.Tag) {
			continue
		}
		for !s.put(Event{Tag: e.Tag, Time: e.Stamp, Data: Raw(e.Data)}) {
			select {
			case <-s.room:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (s *Subscription) wanted(tag string) bool {
	return len(s.prefixes) == 0 || slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(tag, p) })
}

// put buffers an event; it returns false if the buffer is full. One event always fits.
func (s *Subscription) put(e Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := len(e.Tag) + len(e.Data)
	if n := len(s.waiting); n > 0 && (n == maxWaiting || s.bytes+size > maxWaitingBytes) {
		return false
	}
	s.waiting = append(s.waiting, e)
	s.bytes += size
	signal(s.more)
	return true
}

// take returns the oldest buffered event, or the error that ended the subscription.
func (s *Subscription) take() (e Event, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, ErrClosed) || len(s.waiting) == 0 {
		return Event{}, false, s.err
	}
	e = s.waiting[0]
	s.waiting[0] = Event{}
	s.waiting = s.waiting[1:]
	s.bytes -= len(e.Tag) + len(e.Data)
	signal(s.room)
	return e, true, nil
}

// end records why the subscription ended. The first reason is kept.
func (s *Subscription) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || errors.Is(why, ErrClosed) {
		s.err = why
	}
	signal(s.more)
}

// signal wakes the goroutine that waits on c. Signals are not counted.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
