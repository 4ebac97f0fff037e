package stream

import (
	"context"
	"sync"
)

// Reader is one reader of a [Hub]. Next and Try are not for several goroutines
// at once.
type Reader struct {
	hub    *Hub
	filter Filter
	ear    Ear     // guarded by the hub
	back   []Event // kept events of before; only Next uses them once it is there

	mu      sync.Mutex
	waiting []Event
	bytes   int
	err     error
	more    chan struct{}
}

// wants tells whether an event is for the reader.
func (r *Reader) wants(e Event) bool { return r.ear.Hears(e.For) && r.filter.Match(e.Tag) }

// Listen changes what the reader may hear from now on. What waits for it already stays.
func (r *Reader) Listen(ear Ear) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.ear = ear
}

// put leaves an event for the reader; false if there is no room, which ends it.
func (r *Reader) put(e Event, queue, bytes int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return false
	}
	if n := len(r.waiting); n >= queue || (n > 0 && r.bytes+size(e) > bytes) {
		r.err, r.waiting, r.bytes = ErrSlow, nil, 0
		r.wake()
		return false
	}
	r.waiting = append(r.waiting, e)
	r.bytes += size(e)
	r.wake()
	return true
}

func (r *Reader) wake() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *Reader) end(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = why
	}
	r.wake()
}

// Next waits for the next event. [ErrSlow] and [ErrClosed] are the end; the error of ctx
// is not.
func (r *Reader) Next(ctx context.Context) (Event, error) {
	for {
		if e, ok, err := r.Try(); ok || err != nil {
			return e, err
		}
		select {
		case <-r.more:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// More is signalled when there may be something for Try.
func (r *Reader) More() <-chan struct{} { return r.more }

// Try gives the next event if it is there; its errors are those of Next.
func (r *Reader) Try() (Event, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.back) > 0 {
		e := r.back[0]
		r.back = r.back[1:]
		return e, true, nil
	}
	r.back = nil
	if len(r.waiting) > 0 {
		e := r.waiting[0]
		r.waiting[0] = Event{}
		r.waiting = r.waiting[1:]
		r.bytes -= size(e)
		return e, true, nil
	}
	return Event{}, false, r.err
}

// Close takes the reader from its hub.
func (r *Reader) Close() {
	r.hub.mu.Lock()
	delete(r.hub.readers, r)
	r.hub.mu.Unlock()
	r.end(ErrClosed)
}
