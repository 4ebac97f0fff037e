package ownership

import (
	"slices"

	"github.com/momtree/mom/internal/lru"
)

// Beyond records the syndics of nodes further down. A Python master reports them among the
// minions that must answer, but they never do. Events that it forwards in their names show
// that they are syndics.
type Beyond struct {
	via *lru.Map[string, string] // id → the child node that forwarded the event
}

// maxBeyond bounds the records; the oldest are dropped and recorded again with the next event.
const maxBeyond = 10000

// NewBeyond returns an empty Beyond.
func NewBeyond() *Beyond { return &Beyond{via: lru.New[string, string](maxBeyond)} }

// Add records that node via forwarded something in the name of id.
func (b *Beyond) Add(id, via string) {
	if known, ok := b.via.Peek(id); !ok || known != via {
		b.via.Add(id, via)
	}
}

// Without removes the syndics below a node from ids, its minions.
func (b *Beyond) Without(ids []string, via string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		known, ok := b.via.Peek(id)
		return ok && known == via
	})
}
