package publications

import "sync"

// lanes keep what has the same key in order and let everything else pass.
type lanes struct {
	mu   sync.Mutex
	last map[string]chan struct{} // closed when the last one of the key is done
}

func newLanes() *lanes { return &lanes{last: map[string]chan struct{}{}} }

// enter queues behind the one before of the same key: it is done when before is
// closed, or there is none if before is nil. leave has to be called once.
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
