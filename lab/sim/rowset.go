package sim

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/momtree/mom/returners"
)

// rowSet is a set of minions, by index.
type rowSet []uint64

func (s rowSet) has(g int) bool { return s[g/64]&(1<<(g%64)) != 0 }

func (s rowSet) add(g int) { s[g/64] |= 1 << (g % 64) }

func (s rowSet) count() int {
	n := 0
	for _, x := range s {
		n += bits.OnesCount64(x)
	}
	return n
}

// all yields the minions in order.
func (s rowSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, x := range s {
			for ; x != 0; x &= x - 1 {
				if !yield(i*64 + bits.TrailingZeros64(x)) {
					return
				}
			}
		}
	}
}

// without returns the first minion of s that is not in other, and whether there is one.
func (s rowSet) without(other rowSet) (g int, found bool) {
	for i, x := range s {
		if x &^= other[i]; x != 0 {
			return i*64 + bits.TrailingZeros64(x), true
		}
	}
	return 0, false
}

func (s rowSet) equal(other rowSet) bool { return slices.Equal(s, other) }

// stored is a job at a node.
type stored struct {
	n *node
	j *job
}

// holds returns the set of minions whose returns to a job a node stores. During a check the stores
// do not change, and each set is built once.
func (w *World) holds(n *node, j *job) rowSet {
	at := stored{n, j}
	if s, built := w.held[at]; built {
		return s
	}
	out := make(rowSet, (len(w.ids)+63)/64)
	n.disk.EachReturn(j.jid, func(r returners.Return) { out.add(w.index(r.ID)) })
	if w.held != nil {
		w.held[at] = out
	}
	return out
}
