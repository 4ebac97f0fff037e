package master

import (
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

// errBarred is wrapped by the refusal of what a peer says as a node that it may not be.
// It has been told when it is returned.
const errBarred = server.Told("speaks as a syndic and may not")

// barred are the accepted keys that have lately spoken as nodes and may not. A syndic of
// Python's goes on to speak twice a second, and all that is below it is out of reach.
type barred struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// barredFor is how long the tree shows one that has become silent.
const barredFor = 10 * time.Minute

// bar refuses a node: it is counted, logged, told on the bus, and shown in the tree.
func (m *Master) bar(id string, why error) error {
	m.trespassed(ownership.Trespass{Kind: ownership.OfNode, Path: id, Err: why})
	m.barred.mu.Lock()
	if m.barred.last == nil {
		m.barred.last = map[string]time.Time{}
	}
	m.barred.last[id] = m.now()
	m.barred.mu.Unlock()
	m.tree.Tell(topology.Problem{
		Kind: topology.Degraded, Path: id,
		Detail: fmt.Sprintf("%s speaks as a syndic and is refused, with all that is below it: %v", id, why),
	}, aboutBarred+id, true)
	return fmt.Errorf("%s %w: %w", id, errBarred, why)
}

const aboutBarred = "barred/"

// unbar takes it back: the node is taken, or its key is gone.
func (m *Master) unbar(id string) {
	m.barred.mu.Lock()
	_, was := m.barred.last[id]
	delete(m.barred.last, id)
	m.barred.mu.Unlock()
	if was {
		m.tree.Tell(topology.Problem{Kind: topology.Degraded}, aboutBarred+id, false)
	}
}

// sweepBarred takes back what is said of those that speak as nodes no more.
func (m *Master) sweepBarred() {
	now := m.now()
	var silent []string
	m.barred.mu.Lock()
	for id, at := range m.barred.last {
		if now.Sub(at) > barredFor {
			silent = append(silent, id)
		}
	}
	m.barred.mu.Unlock()
	for _, id := range silent {
		m.unbar(id)
	}
}
