package scale

import (
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/localcluster"
)

// Shape is a tree with its minions and jobs.
type Shape struct {
	Name, About string
	// Fan is the number of nodes below each node of the tier above, from the top on.
	Fan []int
	// Minions are how many hang below each node of the lowest tier.
	Minions int
	// Mom is the share, 0 to 1, of minions that behave as ours; the others are stock.
	Mom float64
	// Absent says that the minions have accepted keys and are never started: a command has to
	// name or count all of them. There are no jobs beside those of CLI.
	Absent bool
	// Jobs are published one after another. During Kills of them, spread over all, a
	// node of the lowest tier is killed and started again.
	Jobs, Kills int
	// CLI is how often `salt '*' test.ping` is run as a whole command.
	CLI int
	// Ramp spreads the start of the minions. 0: all at once.
	Ramp time.Duration
	// Spread is how long a job takes the minions: each draws a time up to it. 0: all return at
	// once. A stock minion gives a return up that is not taken in three tries of 5 to 10 s,
	// so as many must not return at once as the machine needs longer for.
	Spread time.Duration
	// Processors is what all masters and nodes have together: 0.5 is half a processor. The
	// minions, which stand for other machines, have what is left. 0: no limit.
	Processors float64
	// Patience is how long the sign-in of all may take before the run fails.
	Patience time.Duration
	// Extra is not part of `all`.
	Extra bool
}

// Shapes are what `make scale` knows.
func Shapes() []Shape {
	return []Shape{
		{Name: "2k", About: "one node with 2,000 stock minions", Fan: []int{1}, Minions: 2000, Jobs: 20, CLI: 10, Patience: 5 * time.Minute},
		{Name: "2k-mom", About: "one node with 2,000 of ours", Fan: []int{1}, Minions: 2000, Mom: 1, Jobs: 20, CLI: 5, Patience: 5 * time.Minute},
		{Name: "4x2500", About: "four nodes with 2,500 stock minions each", Fan: []int{4}, Minions: 2500, Jobs: 20, CLI: 5, Patience: 10 * time.Minute},
		{Name: "4x2500-kill", About: "the same, half of them ours, a node killed in four jobs", Fan: []int{4}, Minions: 2500, Mom: 0.5, Jobs: 20, Kills: 4, Patience: 10 * time.Minute},
		{Name: "3tiers", About: "three tiers of masters, 2 and 10 nodes, 10,000 minions, a third of them ours", Fan: []int{2, 5}, Minions: 1000, Mom: 1. / 3, Jobs: 20, CLI: 5, Patience: 10 * time.Minute},
		{Name: "3tiers-kill", About: "the same, a node killed in four jobs", Fan: []int{2, 5}, Minions: 1000, Mom: 1. / 3, Jobs: 20, Kills: 4, Patience: 10 * time.Minute},
		{Name: "half", About: "four nodes with 2,500 stock minions each, on half a processor", Fan: []int{4}, Minions: 2500, Jobs: 200, Processors: 0.5, Patience: 30 * time.Minute, Extra: true},
		{Name: "absent", About: "one master with 100,000 accepted keys, and nobody there", Minions: 100_000, Absent: true, CLI: 5, Patience: time.Minute, Extra: true},
		{Name: "2k-50", About: "one node with 2,000 stock minions, 50 jobs", Fan: []int{1}, Minions: 2000, Jobs: 50, CLI: 50, Patience: 5 * time.Minute, Extra: true},
		{Name: "500", About: "one node with 500 stock minions, for the time of a command", Fan: []int{1}, Minions: 500, Jobs: 3, CLI: 20, Patience: 2 * time.Minute, Extra: true},
		{Name: "10k", About: "four nodes with 2,500 stock minions each, for the time of a command", Fan: []int{4}, Minions: 2500, Jobs: 3, CLI: 10, Patience: 5 * time.Minute, Extra: true},
		{Name: "100k", About: "three tiers of masters, 2 and 10 nodes, 100,000 stock minions", Fan: []int{2, 5}, Minions: 10_000, Jobs: 1, CLI: 1, Ramp: 20 * time.Minute, Spread: 6 * time.Minute, Patience: time.Hour, Extra: true},
		{Name: "small", About: "two nodes with 50 minions each, half of them ours, a node killed in one job", Fan: []int{2}, Minions: 50, Mom: 0.5, Jobs: 5, Kills: 1, CLI: 2, Patience: 2 * time.Minute, Extra: true},
	}
}

// Find gives a shape by its name, or says which there are.
func Find(name string) (Shape, error) {
	var names []string
	for _, s := range Shapes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Shape{}, fmt.Errorf("no shape %q: there are %s, and all", name, strings.Join(names, ", "))
}

// Leaves is the number of nodes of the lowest tier.
func (s Shape) Leaves() int {
	n := 1
	for _, f := range s.Fan {
		n *= f
	}
	return n
}

// All is the number of minions.
func (s Shape) All() int { return s.Leaves() * s.Minions }

// spec draws the tree. lines gives further lines for the configuration of a node.
func (s Shape) spec(lines func(id string) (string, error)) (localcluster.Spec, error) {
	var grow func(id string, fan []int) (localcluster.Spec, error)
	grow = func(id string, fan []int) (localcluster.Spec, error) {
		conf, err := lines(id)
		if err != nil {
			return localcluster.Spec{}, err
		}
		n := localcluster.Spec{ID: id, Master: conf}
		if len(fan) == 0 {
			return n, nil
		}
		for i := range fan[0] {
			name := fmt.Sprintf("node-%d", i+1)
			if id != "top" {
				name = fmt.Sprintf("%s-%d", id, i+1)
			}
			below, err := grow(name, fan[1:])
			if err != nil {
				return n, err
			}
			n.Nodes = append(n.Nodes, below)
		}
		return n, nil
	}
	return grow("top", s.Fan)
}
