package sequence

import (
	"fmt"
	"sync"
)

// Late is the error of a request that its sender has given up. Its Oldest is the
// number before which all is late.
type Late struct{ Mark }

// Error names both numbers.
func (e Late) Error() string {
	return fmt.Sprintf("request %d was given up by its sender, which waits for none before %d", e.Number, e.Oldest)
}

// Gate lets the requests of each sender through one by one, and none that is late.
// It keeps a few words per sender, for as long as it lives. The zero value is ready
// for use, also concurrent.
type Gate struct {
	mu   sync.Mutex
	from map[string]*sender
}

type sender struct {
	turn   sync.Mutex
	oldest uint64
}

// Enter waits until no other request of the sender is inside, and tells when this
// one is [Late]. Otherwise the caller has to leave. A request without a number is
// never late, and waits for none.
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
