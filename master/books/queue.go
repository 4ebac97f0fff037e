package books

import (
	"slices"
	"sync"
)

// queue takes entries without waiting. What puts them in is asked to wait beforehand.
type queue struct {
	mu      sync.Mutex
	entries []entry
	some    chan struct{}         // holds a value while there are entries
	waiting map[chan struct{}]int // who waits until there are no more than so many
}

func newQueue() *queue {
	return &queue{some: make(chan struct{}, 1), waiting: map[chan struct{}]int{}}
}

func (q *queue) put(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = append(q.entries, e)
	q.tell()
}

// take removes the first n.
func (q *queue) take(n int) []entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.entries))
	out := slices.Clone(q.entries[:n])
	q.entries = slices.Delete(q.entries, 0, n)
	q.tell()
	for c, most := range q.waiting {
		if len(q.entries) <= most {
			close(c)
			delete(q.waiting, c)
		}
	}
	return out
}

// tell sees to it that some holds a value while there are entries. The caller holds mu.
func (q *queue) tell() {
	if len(q.entries) == 0 {
		return
	}
	select {
	case q.some <- struct{}{}:
	default:
	}
}

// below gives a channel that is closed as soon as there are no more than so many.
func (q *queue) below(most int) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := make(chan struct{})
	if len(q.entries) <= most {
		close(c)
	} else {
		q.waiting[c] = most
	}
	return c
}
