package ownership

import (
	"slices"
	"sync"
)

// Beyond remembers the syndics of nodes further down. A Python master counts
// them among its minions when it says who has to answer, but they never do; that
// they are syndics shows by the events it passes on under their names.
type Beyond struct {
	mu    sync.RWMutex
	via   map[string]string // id → the node below this master that passed it on
	order []string
}

// maxBeyond bounds what is remembered; the oldest are forgotten, and learnt
// again with their next event.
const maxBeyond = 10000

// NewBeyond remembers nobody yet.
func NewBeyond() *Beyond { return &Beyond{via: map[string]string{}} }

// Add notes that the node via passed on something under the name of id.
func (b *Beyond) Add(id, via string) {
	b.mu.RLock()
	known := b.via[id] == via
	b.mu.RUnlock()
	if known {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, moved := b.via[id]; !moved {
		if len(b.order) >= maxBeyond {
			delete(b.via, b.order[0])
			b.order = b.order[1:]
		}
		b.order = append(b.order, id)
	}
	b.via[id] = via
}

// Without leaves the syndics below a node out of its minions.
func (b *Beyond) Without(ids []string, via string) []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.DeleteFunc(ids, func(id string) bool { return b.via[id] == via })
}
