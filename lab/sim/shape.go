package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Shape is a tree of nodes. Node 0 is the first top.
type Shape struct {
	// Parents holds the parent of each node, -1 for a top. Parents come before their
	// children.
	Parents []int
	// Also holds further parents of nodes, which come before them too. If there are several
	// tops, they have no minions, and a node below one of them is below all.
	Also map[int][]int
	// Minions is the number of minions connected to each node.
	Minions []int
}

// maxMinions and maxNodes bound a simulation.
const (
	maxMinions = 20_000_000
	maxNodes   = 100_000
	maxTiers   = 15 // topology follows 16
)

// ParseShape reads "10x100x1000": 10 nodes under the top, 100 under each of them,
// 1000 minions under each of those. "500" is a flat master with 500 minions.
func ParseShape(s string) (Shape, error) {
	var fan []int
	for _, f := range strings.Split(s, "x") {
		n, err := strconv.Atoi(strings.ReplaceAll(f, "_", ""))
		if err != nil || n < 1 || n > maxMinions {
			return Shape{}, fmt.Errorf("shape %q: %q is not a number from 1 to %d; a shape is written 10x100x1000: nodes per tier, then minions per node", s, f, maxMinions)
		}
		fan = append(fan, n)
	}
	if len(fan) > maxTiers {
		return Shape{}, fmt.Errorf("shape %q: %d tiers, must be at most %d", s, len(fan), maxTiers)
	}
	sh := Shape{Parents: []int{-1}, Minions: []int{0}}
	tier := []int{0}
	for _, n := range fan[:len(fan)-1] {
		var next []int
		if len(tier)*n > maxNodes {
			return Shape{}, fmt.Errorf("shape %q: more than %d nodes", s, maxNodes)
		}
		for _, p := range tier {
			for range n {
				next = append(next, len(sh.Parents))
				sh.Parents, sh.Minions = append(sh.Parents, p), append(sh.Minions, 0)
			}
		}
		tier = next
	}
	for _, leaf := range tier {
		sh.Minions[leaf] = fan[len(fan)-1]
	}
	return sh, sh.validate()
}

// RandomShape draws a tree of at most nodes nodes in at most tiers tiers. All nodes, inner ones too,
// may have minions.
func RandomShape(r *rand.Rand, nodes, tiers, minions int) Shape {
	sh := Shape{Parents: []int{-1}, Minions: []int{0}}
	depth := []int{0}
	for range r.IntN(nodes) {
		p := r.IntN(len(sh.Parents))
		if depth[p]+1 >= tiers {
			continue
		}
		sh.Parents, sh.Minions, depth = append(sh.Parents, p), append(sh.Minions, 0), append(depth, depth[p]+1)
	}
	for range minions {
		sh.Minions[r.IntN(len(sh.Minions))]++
	}
	return sh
}

// WithTops returns the shape with n tops. The minions of the former top move to the first node below,
// which is created if needed.
func (s Shape) WithTops(n int) Shape {
	out := Shape{Also: map[int][]int{}}
	for range n {
		out.Parents, out.Minions = append(out.Parents, -1), append(out.Minions, 0)
	}
	if len(s.Parents) == 1 {
		s.Parents, s.Minions = []int{-1, 0}, []int{s.Minions[0], 0}
	}
	for i, p := range s.Parents[1:] {
		at := len(out.Parents)
		if p > 0 {
			p += n - 1
		} else {
			for top := 1; top < n; top++ {
				out.Also[at] = append(out.Also[at], top)
			}
		}
		for _, q := range s.Also[i+1] {
			out.Also[at] = append(out.Also[at], q+n-1)
		}
		out.Parents, out.Minions = append(out.Parents, p), append(out.Minions, s.Minions[i+1])
	}
	out.Minions[n] += s.Minions[0]
	return out
}

// Tie gives up to n nodes another parent: any earlier node except a top.
func (s Shape) Tie(r *rand.Rand, n int) Shape {
	also := map[int][]int{}
	for i, ps := range s.Also {
		also[i] = slices.Clone(ps)
	}
	tops := s.tops()
	for range n {
		i := r.IntN(len(s.Parents))
		if i <= tops {
			continue
		}
		if p := tops + r.IntN(i-tops); s.Parents[i] >= tops && p != s.Parents[i] && !slices.Contains(also[i], p) {
			also[i] = append(also[i], p)
		}
	}
	s.Also = also
	return s
}

func (s Shape) tops() int {
	n := 0
	for _, p := range s.Parents {
		if p < 0 {
			n++
		}
	}
	return n
}

// regions counts the nodes right below the tops.
func (s Shape) regions() int {
	n, tops := 0, s.tops()
	for _, p := range s.Parents {
		if p >= 0 && p < tops {
			n++
		}
	}
	return n
}

// above lists the parents of a node.
func (s Shape) above(i int) []int {
	if s.Parents[i] < 0 {
		return nil
	}
	return append([]int{s.Parents[i]}, s.Also[i]...)
}

// Flat returns a single master with all minions of the shape.
func (s Shape) Flat() Shape { return Shape{Parents: []int{-1}, Minions: []int{s.Total()}} }

// Total returns the number of minions.
func (s Shape) Total() int {
	n := 0
	for _, m := range s.Minions {
		n += m
	}
	return n
}

func (s Shape) validate() error {
	if len(s.Parents) == 0 || len(s.Parents) != len(s.Minions) || s.Parents[0] != -1 {
		return errors.New("a shape needs a top, and a number of minions for each node")
	}
	tops := s.tops()
	for i := range s.Parents {
		ps := s.above(i)
		low := 0
		for k, p := range ps {
			if p < 0 || p >= i || slices.Contains(ps[:k], p) {
				return fmt.Errorf("node %d: a parent comes after it, or twice", i)
			}
			if p < tops {
				low++
			}
		}
		switch {
		case len(ps) == 0 && (i >= tops || tops > 1 && s.Minions[i] > 0):
			return errors.New("several tops come first, and have no minions of their own")
		case low > 0 && low < tops:
			return fmt.Errorf("node %d is below some tops only", i)
		}
	}
	if n := s.Total(); n < 1 || n > maxMinions {
		return fmt.Errorf("%d minions, must be 1 to %d", n, maxMinions)
	}
	return nil
}
