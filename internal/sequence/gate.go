package sequence

import (
	"fmt"
	"sync"
)

// Late is the error for a request that its sender has given up. Requests before its Oldest are
// late.
type Late struct{ Mark }

// Error describes both numbers.
func (e Late) Error() string {
	return fmt.Sprintf("request %d was given up by its sender, which waits for none before %d", e.Number, e.Oldest)
}

// Gate admits the requests of each sender one at a time, and rejects late ones. It keeps a
// small state per sender forever. The zero value is ready to use; it is safe for concurrent
// use.
type Gate struct {
	mu   sync.Mutex
	from map[string]*sender
}

type sender struct {
	turn   sync.Mutex
	oldest uint64
}

// Enter waits until no other request of the sender is being processed. It returns [Late] for a
// late request; otherwise the caller must call leave. A request without a number is never late,
// and does not wait.
func (g *Gate) Enter(id string, m Mark) (leave func(), err error) {
	if m.Number == 0 {
		return func() {}, nil
	}
	s := g.sender(id)
	s.turn.Lock()
	if m.Number < s.oldest {
		defer s.turn.Unlock()
		return nil, Late{Mark{Number: m.Number, Oldest: s.oldest}}
	}
	s.oldest = max(s.oldest, m.Oldest)
	return s.turn.Unlock, nil
}

func (g *Gate) sender(id string) *sender {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.from[id]
	if s == nil {
		if g.from == nil {
			g.from = map[string]*sender{}
		}
		s = &sender{}
		g.from[id] = s
	}
	return s
}
