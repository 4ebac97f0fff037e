package ownership

import (
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/topology"
)

// barred are the accepted keys that have lately spoken as nodes and may not. A syndic of
// Python's goes on to speak twice a second, and all that is below it is out of reach.
type barred struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// barredFor is how long the tree shows one that has become silent.
const barredFor = 10 * time.Minute

// bar refuses a node: it is counted, logged, told on the bus, and shown in the tree.
func (p *Policy) bar(id string, why error) error {
	p.Trespassed(Trespass{Kind: OfNode, Path: id, Err: why})
	p.barred.mu.Lock()
	if p.barred.last == nil {
		p.barred.last = map[string]time.Time{}
	}
	p.barred.last[id] = p.o.Now()
	p.barred.mu.Unlock()
	p.o.Tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Path: id,
		Detail: fmt.Sprintf("%s speaks as a syndic and is refused, with all that is below it: %v", id, why),
	}, aboutBarred+id, true)
	return fmt.Errorf("%s %w: %w", id, p.o.Barred, why)
}

const aboutBarred = "barred/"

// unbar takes it back: the node is taken, or its key is gone.
func (p *Policy) unbar(id string) {
	p.barred.mu.Lock()
	_, was := p.barred.last[id]
	delete(p.barred.last, id)
	p.barred.mu.Unlock()
	if was {
		p.o.Tree.SetProblem(topology.Problem{Kind: topology.Degraded}, aboutBarred+id, false)
	}
}

// SweepBarred takes back what is said of those that speak as nodes no more.
func (p *Policy) SweepBarred() {
	now := p.o.Now()
	var silent []string
	p.barred.mu.Lock()
	for id, at := range p.barred.last {
		if now.Sub(at) > barredFor {
			silent = append(silent, id)
		}
	}
	p.barred.mu.Unlock()
	for _, id := range silent {
		p.unbar(id)
	}
}
