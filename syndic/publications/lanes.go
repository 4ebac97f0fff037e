package publications

import "sync"

// lanes serializes work by key.
type lanes struct {
	mu   sync.Mutex
	last map[string]chan struct{} // closed when the last of the key is done
}

func newLanes() *lanes { return &lanes{last: map[string]chan struct{}{}} }

// enter queues behind the previous work of a key. The caller must wait until before is closed,
// unless it is nil, and must call leave once.
func (l *lanes) enter(key string) (before <-chan struct{}, leave func()) {
	end := make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.last[key]; ok {
		before = c
	}
	l.last[key] = end
	return before, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		close(end)
		if l.last[key] == end {
			delete(l.last, key)
		}
	}
}
