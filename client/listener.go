package client

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// errTooSlow is what an ear ends with whose reader left too much waiting.
var errTooSlow = errors.New("too many events wait for their reader")

// runnerTags is what the tags of a runner's events begin with, before its job id.
const runnerTags = "salt/run/"

// listener hears the events of all jobs and runners that a client has under way on one
// connection to the master's bus, which is open as long as somebody listens: each event
// is read once, however many jobs there are. It hands them to the ears of their jobs.
//
// Who publishes listens before, and learns the job id only from the answer. Until then
// the listener keeps what comes, of any job, within the bounds of a [Subscription].
type listener struct {
	dial func(context.Context) (*bus.Client, error)

	mu      sync.Mutex
	opening chan struct{} // closed when the one who opens the bus is done; nil: nobody does
	open    *bus.Client   // nil: it is not open
	ended   chan struct{} // closed when its reader has ended
	ears    map[*ear]struct{}
	jobs    map[string][]*ear // by job id
	kept    []jobEvent        // for those that do not know their job id yet
	base    uint64            // number of the first of them
	bytes   int               // of them
	waiting int               // ears without a job id
}

// jobEvent is an event of the job or runner with that id.
type jobEvent struct {
	jid string
	e   bus.Event
}

func newListener(dial func(context.Context) (*bus.Client, error)) *listener {
	return &listener{dial: dial, ears: map[*ear]struct{}{}, jobs: map[string][]*ear{}}
}

// listen gives an ear that misses nothing from now on. The caller tells it its job id
// with [ear.bind] and closes it.
func (l *listener) listen(ctx context.Context) (*ear, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open == nil {
		if err := l.openOnce(ctx); err != nil {
			return nil, err
		}
	}
	h := &ear{l: l, bus: l.open, from: l.base + uint64(len(l.kept)), more: make(chan struct{}, 1)}
	l.ears[h] = struct{}{}
	l.waiting++
	return h, nil
}

// openOnce opens the bus, or waits for who does already; l.mu is held, but not meanwhile.
func (l *listener) openOnce(ctx context.Context) error {
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
	go l.read(b, l.ended) //nolint:gosec // it lasts longer than the request that has opened it
	return nil
}

// read hands on events until the bus breaks or is closed.
func (l *listener) read(b *bus.Client, ended chan struct{}) {
	defer close(ended)
	for {
		e, err := b.Next(context.Background())
		if err != nil {
			l.broke(b, err)
			return
		}
		if jid := jobOf(e.Tag); jid != "" {
			l.hear(jid, e)
		}
	}
}

// jobOf is the id of the job or runner that an event is of; "": of none.
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

func (l *listener) hear(jid string, e bus.Event) {
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

// broke ends all ears of a bus that is gone.
func (l *listener) broke(b *bus.Client, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for h := range l.ears {
		if h.bus == b {
			h.end(err)
		}
	}
	if l.open == b {
		l.open = nil
		_ = b.Close()
	}
}

// bind tells an ear its job; l.mu is not held.
func (l *listener) bind(h *ear, jid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, in := l.ears[h]; !in || h.jid != "" {
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

// known counts that an ear waits for its job id no more; l.mu is held.
func (l *listener) known() {
	if l.waiting--; l.waiting == 0 {
		l.base += uint64(len(l.kept))
		l.kept, l.bytes = nil, 0
	}
}

// leave takes an ear out, and closes the bus after the last one.
func (l *listener) leave(h *ear) {
	l.mu.Lock()
	if _, in := l.ears[h]; !in {
		l.mu.Unlock()
		return
	}
	delete(l.ears, h)
	if h.jid == "" {
		l.known()
	} else {
		l.forget(h)
	}
	var ended chan struct{}
	if len(l.ears) == 0 && l.open != nil {
		_ = l.open.Close()
		l.open, ended = nil, l.ended
	}
	l.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// forget strikes an ear off the list of its job; l.mu is held.
func (l *listener) forget(h *ear) {
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
