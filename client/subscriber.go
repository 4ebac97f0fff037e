package client

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/bus"
)

// subscriber receives the events of one job or runner. It buffers up to 16,384 events with 16 MiB;
// beyond that it ends with errTooSlow, and its reader uses the job cache.
type subscriber struct {
	l    *dispatcher
	bus  *bus.Client // source of the events
	from uint64      // sequence number of the first event for it; guarded by l.mu
	jid  string      // "" until bind; guarded by l.mu
	more chan struct{}

	mu    sync.Mutex
	queue []bus.Event
	bytes int
	err   error // why it ended
}

// bind sets the job id. Events of the job since the subscription began are delivered too.
func (h *subscriber) bind(jid string) { h.l.bind(h, jid) }

// Close ends the subscription; a blocked Next returns [ErrClosed]. h may be nil.
func (h *subscriber) Close() error {
	if h == nil {
		return nil
	}
	h.end(ErrClosed)
	h.l.leave(h)
	return nil
}

// Next blocks until the next event. If ctx ends first, it returns the error of ctx and no event
// is lost.
func (h *subscriber) Next(ctx context.Context) (bus.Event, error) {
	for {
		e, ok, err := h.take()
		if ok || err != nil {
			return e, err
		}
		select {
		case <-h.more:
		case <-ctx.Done():
			return bus.Event{}, ctx.Err()
		}
	}
}

func (h *subscriber) take() (e bus.Event, ok bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return bus.Event{}, false, h.err
	}
	e = h.queue[0]
	h.queue[0] = bus.Event{}
	h.queue = h.queue[1:]
	h.bytes -= len(e.Tag) + len(e.Data)
	return e, true, nil
}

// put buffers an event; one of any size always fits into an empty buffer. If the buffer is full
// the subscriber ends and drops its events, which the job cache has too.
func (h *subscriber) put(e bus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return
	}
	size := len(e.Tag) + len(e.Data)
	if n := len(h.queue); n == maxWaiting || n > 0 && h.bytes+size > maxWaitingBytes {
		h.err, h.queue, h.bytes = errTooSlow, nil, 0
	} else {
		h.queue = append(h.queue, e)
		h.bytes += size
	}
	signal(h.more)
}

// end stops the subscriber. Buffered events can still be read.
func (h *subscriber) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
	}
	signal(h.more)
}
