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
	// Time is when it was fired, by the clock of who fired it, in UTC.
	Time time.Time
	// Data are a map.
	Data Raw
}

// What waits for a reader of a [Subscription].
const (
	maxWaiting      = 4096
	maxWaitingBytes = 16 << 20
)

// Subscription is the events of the bus whose tags begin with one of a few prefixes.
//
// They are read from the master as they come, and wait here for the reader: up to 4096
// of them with 16 MiB. What is beyond waits at the master, which has room for about 1000
// events of all tags, and cuts off who does not take them: then the subscription gives
// what waits here and ends with [ErrBusLost]. Whoever needs to know what happened
// meanwhile has to ask the master after subscribing again.
type Subscription struct {
	bus      *bus.Client
	prefixes []string
	stop     context.CancelFunc
	done     chan struct{} // the reader has ended

	mu      sync.Mutex
	waiting []Event
	bytes   int
	err     error         // why nothing more comes
	more    chan struct{} // there is something to give, or an error
	room    chan struct{} // something was taken
}

// Subscribe opens the event bus. Once it has returned, no event of the prefixes is
// missed; without any all events are meant. ctx bounds the opening alone: the
// subscription lasts until it is closed.
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

// Close ends the subscription; a Next that waits returns [ErrClosed].
func (s *Subscription) Close() error {
	s.end(ErrClosed)
	s.stop()
	err := s.bus.Close()
	<-s.done
	return err
}

// Next waits for the next event. When ctx ends first its error is returned and nothing
// is lost. It is not for several goroutines at once.
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

// All gives the events until there is an error, which is the last of the sequence: that
// of ctx, or one of Next.
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

// read takes events from the master until ctx ends or the bus breaks.
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

// put keeps an event for the reader; false if there is no room. One has room always.
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

// take gives the event that has waited longest, or why none comes any more.
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

// end keeps the first reason why nothing more comes.
func (s *Subscription) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || errors.Is(why, ErrClosed) {
		s.err = why
	}
	signal(s.more)
}

// signal wakes who waits on c; one signal is enough for all that happened meanwhile.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
