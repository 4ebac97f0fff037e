package ownership

import (
	"slices"

	"github.com/momtree/mom/internal/lru"
)

// Beyond remembers the syndics of nodes further down. A Python master counts
// them among its minions when it says who has to answer, but they never do; that
// they are syndics shows by the events it passes on under their names.
type Beyond struct {
	via *lru.Map[string, string] // id → the node below this master that passed it on
}

// maxBeyond bounds what is remembered; the oldest are forgotten, and learnt
// again with their next event.
const maxBeyond = 10000

// NewBeyond remembers nobody yet.
func NewBeyond() *Beyond { return &Beyond{via: lru.New[string, string](maxBeyond)} }

// Add notes that the node via passed on something under the name of id.
func (b *Beyond) Add(id, via string) {
	if known, ok := b.via.Peek(id); !ok || known != via {
		b.via.Add(id, via)
	}
}

// Without leaves the syndics below a node out of its minions.
func (b *Beyond) Without(ids []string, via string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		known, ok := b.via.Peek(id)
		return ok && known == via
	})
}
