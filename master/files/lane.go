package files

import (
	"context"
	"errors"
	"sync"
)

const (
	// perAsker is how many chunks one peer may have on the way at once. A minion fetches one
	// after the other; a node fetches for many minions.
	perAsker = 4
	// waitingPerAsker bounds the requests of one peer that wait for their turn.
	waitingPerAsker = 256
)

// ErrBusy is wrapped when a peer has more requests waiting than it may.
var ErrBusy = errors.New("too many requests for files wait")

// lane has chunks of files wait for memory: so many bytes may be on their way to peers, read
// and not yet taken by them. Peers take turns, whatever each of them asks for.
type lane struct {
	mu      sync.Mutex
	free    int64
	all     int64
	held    map[string]int
	waiting map[string][]*turn
	order   []string // peers with turns that wait, the next in front
	most    int64    // of bytes on their way at once, ever
	depth   int
}

type turn struct {
	n     int64
	begin chan struct{}
	gone  bool // nobody waits for it any more
}

func newLane(bytes int) *lane {
	return &lane{free: int64(bytes), all: int64(bytes), held: map[string]int{}, waiting: map[string][]*turn{}}
}

// take waits until n bytes may be read for a peer. They count until release is called.
func (l *lane) take(ctx context.Context, id string, n int64) (release func(), err error) {
	n = min(n, l.all) // a chunk that is larger than all goes alone
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

// dispatch goes round the peers that wait. One that has all it may have on the way is
// passed over; one whose chunk has no room stops the round, or large chunks never had any.
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

// state is how many requests wait, and the bytes on their way now and at most ever.
func (l *lane) state() (depth int, now, most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.depth, l.all - l.free, l.most
}
