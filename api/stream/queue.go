package stream

import "sync"

// queue holds the events that wait for one reader.
type queue struct {
	mu     sync.Mutex
	events []Event
	bytes  int
	err    error         // why there are no more events
	more   chan struct{} // signalled when there may be something to take
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

// put adds an event. If the queue is full, put ends it with [ErrSlow] and returns false.
func (q *queue) put(e Event, maxEvents, maxBytes int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return false
	}
	if n := len(q.events); n >= maxEvents || (n > 0 && q.bytes+size(e) > maxBytes) {
		q.err, q.events, q.bytes = ErrSlow, nil, 0
		q.wake()
		return false
	}
	q.events = append(q.events, e)
	q.bytes += size(e)
	q.wake()
	return true
}

// take returns the next event if there is one.
func (q *queue) take() (Event, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.events) == 0 {
		return Event{}, false, q.err
	}
	e := q.events[0]
	q.events[0] = Event{}
	q.events = q.events[1:]
	q.bytes -= size(e)
	return e, true, nil
}

// end ends the queue after the events in it.
func (q *queue) end(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = why
	}
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}
