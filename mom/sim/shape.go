package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Shape is a tree of nodes. Node 0 is the top.
type Shape struct {
	// Parents holds the parent of each node; that of the top is -1. Parents come
	// before their children.
	Parents []int
	// Minions is how many minions each node has itself.
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

// RandomShape draws a tree: up to nodes nodes in up to tiers tiers, with minions
// spread over all of them, inner nodes too.
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

// Flat is one master with all minions of the shape.
func (s Shape) Flat() Shape { return Shape{Parents: []int{-1}, Minions: []int{s.Total()}} }

// Total is the number of minions.
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
	for i, p := range s.Parents[1:] {
		if p < 0 || p > i {
			return fmt.Errorf("the parent of node %d does not come before it", i+1)
		}
	}
	if n := s.Total(); n < 1 || n > maxMinions {
		return fmt.Errorf("%d minions, must be 1 to %d", n, maxMinions)
	}
	return nil
}
