package client

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/bus"
)

// ear hears the events of one job or runner. What is not read waits here, up to 4096
// events with 16 MiB; beyond that it ends, and its reader asks the job cache.
type ear struct {
	l    *listener
	bus  *bus.Client // that it hears
	from uint64      // number of the first event that it may be told of; l.mu guards it
	jid  string      // "": not known yet; l.mu guards it
	more chan struct{}

	mu    sync.Mutex
	queue []bus.Event
	bytes int
	err   error // why nothing more comes
}

// bind tells it whose events it is to hear: those that came since it listens as well.
func (h *ear) bind(jid string) { h.l.bind(h, jid) }

// Close ends the listening; a Next that waits returns [ErrClosed].
func (h *ear) Close() error {
	h.end(ErrClosed)
	h.l.leave(h)
	return nil
}

// Next waits for the next event. When ctx ends first its error is returned and nothing is
// lost.
func (h *ear) Next(ctx context.Context) (bus.Event, error) {
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

func (h *ear) take() (e bus.Event, ok bool, err error) {
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

// put keeps an event for the reader, one of any size if nothing else waits. Without room
// the ear ends: what waits goes with it, for the job cache has it as well.
func (h *ear) put(e bus.Event) {
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

// end has nothing more come; what waits can be read.
func (h *ear) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = err
	}
	signal(h.more)
}
