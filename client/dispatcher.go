package client

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// errTooSlow ends a subscriber whose buffer is full.
var errTooSlow = errors.New("too many unread events")

// runnerTags is the prefix of the tags of runner events; the job id follows.
const runnerTags = "salt/run/"

// dispatcher reads the events of all running jobs and runners of a client from one connection to
// the master's bus and dispatches them to subscribers by job id. The connection is open while
// there are subscribers.
//
// A publisher subscribes before it knows the job id. Until bind is called the dispatcher keeps
// the events of all jobs, within the bounds of a [Subscription].
type dispatcher struct {
	dial func(context.Context) (*bus.Client, error)

	mu          sync.Mutex
	opening     chan struct{} // closed when a pending dial is done; nil if there is none
	open        *bus.Client   // nil if closed
	ended       chan struct{} // closed when the reader of open returns
	subscribers map[*subscriber]struct{}
	jobs        map[string][]*subscriber // by job id
	kept        []jobEvent               // for subscribers without a job id
	base        uint64                   // sequence number of kept[0]
	bytes       int                      // size of kept
	waiting     int                      // subscribers without a job id
}

// jobEvent is an event of the job or runner with the id jid.
type jobEvent struct {
	jid string
	e   bus.Event
}

func newDispatcher(dial func(context.Context) (*bus.Client, error)) *dispatcher {
	return &dispatcher{dial: dial, subscribers: map[*subscriber]struct{}{}, jobs: map[string][]*subscriber{}}
}

// listen returns a subscriber that receives all events from now on. The caller sets its job id
// with [subscriber.bind] and closes it.
func (l *dispatcher) listen(ctx context.Context) (*subscriber, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open == nil {
		if err := l.openOnce(ctx); err != nil {
			return nil, err
		}
	}
	h := &subscriber{l: l, bus: l.open, from: l.base + uint64(len(l.kept)), more: make(chan struct{}, 1)}
	l.subscribers[h] = struct{}{}
	l.waiting++
	return h, nil
}

// openOnce opens the bus, or waits until another goroutine has. l.mu is held, except while it
// waits.
func (l *dispatcher) openOnce(ctx context.Context) error {
	if other := l.opening; other != nil {
		l.mu.Unlock()
		defer l.mu.Lock()
		select {
		case <-other:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	done := make(chan struct{})
	l.opening = done
	l.mu.Unlock()
	b, err := l.dial(ctx)
	l.mu.Lock()
	l.opening = nil
	close(done)
	if err != nil {
		return err
	}
	l.open, l.ended = b, make(chan struct{})
	go l.read(b, l.ended) //nolint:gosec // it outlives the request that opened it
	return nil
}

// read dispatches events until the bus is disconnected or closed.
func (l *dispatcher) read(b *bus.Client, ended chan struct{}) {
	defer close(ended)
	for {
		e, err := b.Next(context.Background())
		if err != nil {
			l.lost(b, err)
			return
		}
		if jid := jobOf(e.Tag); jid != "" {
			l.dispatch(jid, e)
		}
	}
}

// jobOf returns the id of the job or runner that a tag belongs to, or "".
func jobOf(tag string) string {
	if jid, _, _, ok := jobevent.Parse(tag); ok {
		return jid
	}
	if rest, ok := strings.CutPrefix(tag, runnerTags); ok {
		jid, _, _ := strings.Cut(rest, "/")
		return jid
	}
	return ""
}

func (l *dispatcher) dispatch(jid string, e bus.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.jobs[jid] {
		h.put(e)
	}
	if l.waiting == 0 {
		return
	}
	l.kept = append(l.kept, jobEvent{jid, e})
	l.bytes += len(e.Tag) + len(e.Data)
	for len(l.kept) > maxWaiting || l.bytes > maxWaitingBytes && len(l.kept) > 1 {
		l.bytes -= len(l.kept[0].e.Tag) + len(l.kept[0].e.Data)
		l.kept[0] = jobEvent{}
		l.kept = l.kept[1:]
		l.base++
	}
}

// lost ends the subscribers of a lost connection.
func (l *dispatcher) lost(b *bus.Client, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for h := range l.subscribers {
		if h.bus == b {
			h.end(err)
		}
	}
	if l.open == b {
		l.open = nil
		_ = b.Close()
	}
}

// bind sets the job id of a subscriber and delivers the kept events; l.mu is not held.
func (l *dispatcher) bind(h *subscriber, jid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, in := l.subscribers[h]; !in || h.jid != "" {
		return
	}
	h.jid = jid
	l.jobs[jid] = append(l.jobs[jid], h)
	if h.from < l.base {
		h.end(errTooSlow)
	} else {
		for _, k := range l.kept[h.from-l.base:] {
			if k.jid == jid {
				h.put(k.e)
			}
		}
	}
	l.known()
}

// known decrements the count of subscribers without a job id; l.mu is held.
func (l *dispatcher) known() {
	if l.waiting--; l.waiting == 0 {
		l.base += uint64(len(l.kept))
		l.kept, l.bytes = nil, 0
	}
}

// leave removes a subscriber, and closes the bus after the last one.
func (l *dispatcher) leave(h *subscriber) {
	l.mu.Lock()
	if _, in := l.subscribers[h]; !in {
		l.mu.Unlock()
		return
	}
	delete(l.subscribers, h)
	if h.jid == "" {
		l.known()
	} else {
		l.forget(h)
	}
	var ended chan struct{}
	if len(l.subscribers) == 0 && l.open != nil {
		_ = l.open.Close()
		l.open, ended = nil, l.ended
	}
	l.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// forget removes a subscriber from the list of its job; l.mu is held.
func (l *dispatcher) forget(h *subscriber) {
	left := l.jobs[h.jid][:0]
	for _, other := range l.jobs[h.jid] {
		if other != h {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(l.jobs, h.jid)
		return
	}
	l.jobs[h.jid] = left
}
