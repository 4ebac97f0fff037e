package ownership

import (
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/topology"
)

// barred holds the accepted keys that recently acted as nodes and may not. A Python syndic
// repeats that twice a second, and everything below it is unreachable.
type barred struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// barredFor is how long the tree shows a barred node after its last request.
const barredFor = 10 * time.Minute

// bar rejects a node: it counts and logs the refusal, fires an event and sets a tree problem.
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
		Detail: fmt.Sprintf("%s acts as a syndic and is rejected, with all minions below it: %v", id, why),
	}, aboutBarred+id, true)
	return fmt.Errorf("%s %w: %w", id, p.o.Barred, why)
}

const aboutBarred = "barred/"

// unbar clears the problem of a node that was accepted or whose key was removed.
func (p *Policy) unbar(id string) {
	p.barred.mu.Lock()
	_, was := p.barred.last[id]
	delete(p.barred.last, id)
	p.barred.mu.Unlock()
	if was {
		p.o.Tree.SetProblem(topology.Problem{Kind: topology.Degraded}, aboutBarred+id, false)
	}
}

// SweepBarred clears the problems of barred nodes that are silent.
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
