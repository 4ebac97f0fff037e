package files

import (
	"context"
	"errors"
	"sync"
)

const (
	// perAsker limits the chunks of one peer in flight. A minion fetches one at a time; a node
	// fetches for many minions.
	perAsker = 4
	// waitingPerAsker limits the waiting requests of one peer.
	waitingPerAsker = 256
)

// ErrBusy is wrapped if a peer has too many waiting requests.
var ErrBusy = errors.New("too many file requests are waiting")

// lane limits the bytes of file chunks in flight: read, but not yet received by the peer. Waiting
// peers take turns, however many chunks each of them requests.
type lane struct {
	mu      sync.Mutex
	free    int64
	all     int64
	held    map[string]int
	waiting map[string][]*turn
	order   []string // peers with waiting requests, next first
	most    int64    // of bytes on their way at once, ever
	depth   int
}

type turn struct {
	n     int64
	begin chan struct{}
	gone  bool // the waiter gave up
}

func newLane(bytes int) *lane {
	return &lane{free: int64(bytes), all: int64(bytes), held: map[string]int{}, waiting: map[string][]*turn{}}
}

// take blocks until n bytes may be read for a peer. They count until release is called.
func (l *lane) take(ctx context.Context, id string, n int64) (release func(), err error) {
	n = min(n, l.all) // a chunk larger than the limit goes alone
	l.mu.Lock()
	if len(l.waiting[id]) == 0 && l.may(id, n) && len(l.order) == 0 {
		l.grant(id, n)
		l.mu.Unlock()
		return l.releaser(id, n), nil
	}
	if len(l.waiting[id]) >= waitingPerAsker {
		l.mu.Unlock()
		return nil, ErrBusy
	}
	t := &turn{n: n, begin: make(chan struct{})}
	if len(l.waiting[id]) == 0 {
		l.order = append(l.order, id)
	}
	l.waiting[id] = append(l.waiting[id], t)
	l.depth++
	l.dispatch()
	l.mu.Unlock()
	select {
	case <-t.begin:
		return l.releaser(id, n), nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-t.begin: // at the same moment
		l.give(id, n)
	default:
		t.gone = true
		l.dispatch()
	}
	return nil, ctx.Err()
}

//mutant:files-memory
func (l *lane) may(id string, n int64) bool { return l.held[id] < perAsker && n <= l.free }

func (l *lane) grant(id string, n int64) {
	l.free -= n
	l.held[id]++
	l.most = max(l.most, l.all-l.free)
}

func (l *lane) releaser(id string, n int64) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.give(id, n)
	})
}

func (l *lane) give(id string, n int64) {
	l.free += n
	if l.held[id]--; l.held[id] == 0 {
		delete(l.held, id)
	}
	l.dispatch()
}

// dispatch serves the waiting peers in turn. It skips a peer that is at its limit, but stops at a
// chunk without room; otherwise large chunks would starve.
func (l *lane) dispatch() {
	for i := 0; i < len(l.order); {
		id := l.order[i]
		queue := l.waiting[id]
		for len(queue) > 0 && queue[0].gone {
			queue = queue[1:]
			l.depth--
		}
		l.waiting[id] = queue
		if len(queue) == 0 {
			delete(l.waiting, id)
			l.order = append(l.order[:i], l.order[i+1:]...)
			continue
		}
		if l.held[id] >= perAsker {
			i++
			continue
		}
		t := queue[0]
		if t.n > l.free {
			return
		}
		l.grant(id, t.n)
		close(t.begin)
		l.depth--
		l.order = append(l.order[:i], l.order[i+1:]...)
		if queue = queue[1:]; len(queue) == 0 {
			delete(l.waiting, id)
		} else {
			l.waiting[id] = queue
			//mutant:files-fair-share
			l.order = append(l.order, id)
		}
	}
}

// state returns the number of waiting requests, and the current and maximum bytes in flight.
func (l *lane) state() (depth int, now, most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.depth, l.all - l.free, l.most
}
