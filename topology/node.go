package topology

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// State is what is known of a minion or node.
type State string

// The states.
const (
	Up   State = "up"
	Down State = "down"
	// Unknown: an accepted key whose owner does not report presence, such as a
	// Python minion.
	Unknown State = "unknown"
)

func state(s string) State {
	switch s := State(s); s {
	case Up, Down:
		return s
	}
	return Unknown
}

// Minion is a leaf of the tree.
type Minion struct {
	ID      string
	State   State
	Version string // "" when not known
}

// Node is a master with what sits below it.
type Node struct {
	ID      string
	Role    string // "master" at the top, "syndic" below
	Version string
	State   State
	Since   time.Time // when it got into State
	Minions []Minion  // sorted by id
	Nodes   []Node    // sorted by id
	Vitals  Vitals
}

// maxDepth bounds the tiers a report may hold, so that a loop of nodes or a
// hostile report ends.
const maxDepth = 16

// ErrDepth tells of a tree deeper than this package follows.
var ErrDepth = errors.New("the tree has more than 16 tiers; a node may be its own ancestor")

// Map gives the node in the form in which it is reported to a parent.
func (n Node) Map() *wire.Map {
	minions := make([]any, 0, len(n.Minions))
	for _, m := range n.Minions {
		minions = append(minions, []any{m.ID, string(m.State), m.Version})
	}
	nodes := make([]any, 0, len(n.Nodes))
	for _, c := range n.Nodes {
		nodes = append(nodes, c.Map())
	}
	m := wire.NewMap("id", n.ID, "role", n.Role, "version", n.Version, "state", string(n.State),
		"since", n.Since.UTC().Format(time.RFC3339Nano), "minions", minions, "nodes", nodes)
	if v := n.Vitals.wire(); v.Len() > 0 {
		m.Set("vitals", v)
	}
	return m
}

// FromMap reads what [Node.Map] wrote. The report may come from a program newer
// than this one: a state this one does not know counts as Unknown.
func FromMap(m *wire.Map) (Node, error) { return fromMap(m, 0) }

func fromMap(m *wire.Map, depth int) (Node, error) {
	if depth >= maxDepth {
		return Node{}, ErrDepth
	}
	n := Node{ID: m.String("id"), Role: m.String("role"), Version: m.String("version"), State: state(m.String("state"))}
	if n.ID == "" {
		return Node{}, errors.New("report of a tree: a node without id")
	}
	n.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
	n.Vitals = vitalsFrom(m.Map("vitals"))
	for _, v := range m.List("minions") {
		f, ok := v.([]any)
		if !ok || len(f) != 3 {
			return Node{}, fmt.Errorf("node %s: a minion is not reported as [id, state, version]", n.ID)
		}
		id, _ := f[0].(string)
		st, _ := f[1].(string)
		version, _ := f[2].(string)
		if id == "" {
			return Node{}, fmt.Errorf("node %s: a minion without id", n.ID)
		}
		n.Minions = append(n.Minions, Minion{ID: id, State: state(st), Version: version})
	}
	for _, v := range m.List("nodes") {
		c, ok := v.(*wire.Map)
		if !ok {
			return Node{}, fmt.Errorf("node %s: a node below it is not reported as a map", n.ID)
		}
		child, err := fromMap(c, depth+1)
		if err != nil {
			return Node{}, err
		}
		n.Nodes = append(n.Nodes, child)
	}
	n.sort()
	return n, nil
}

// equal tells whether two subtrees say the same.
func (n Node) equal(o Node) bool {
	return n.ID == o.ID && n.Role == o.Role && n.Version == o.Version && n.State == o.State && n.Since.Equal(o.Since) &&
		slices.Equal(n.Minions, o.Minions) && slices.EqualFunc(n.Nodes, o.Nodes, Node.equal)
}

// withoutMoved gives the tree without the places that nodes have left: they are
// down there, or behind a node that is down, and up elsewhere. The subtrees of n
// are not altered.
func (n Node) withoutMoved() Node {
	up, lost := map[string]bool{}, false
	n.eachBelow(false, func(c Node, reached bool) {
		up[c.ID] = up[c.ID] || reached
		lost = lost || !reached
	})
	if !lost {
		return n
	}
	return n.without(false, func(c Node, reached bool) bool { return !reached && up[c.ID] })
}

// eachBelow visits the nodes below n and tells whether they can be reached:
// neither they nor a node above them is down.
func (n Node) eachBelow(cut bool, visit func(c Node, reached bool)) {
	for _, c := range n.Nodes {
		cut := cut || c.State == Down
		visit(c, !cut)
		c.eachBelow(cut, visit)
	}
}

func (n Node) without(cut bool, gone func(c Node, reached bool) bool) Node {
	nodes := make([]Node, 0, len(n.Nodes))
	for _, c := range n.Nodes {
		cut := cut || c.State == Down
		if !gone(c, !cut) {
			nodes = append(nodes, c.without(cut, gone))
		}
	}
	n.Nodes = nodes
	return n
}

func (n *Node) sort() {
	sort.Slice(n.Minions, func(i, j int) bool { return n.Minions[i].ID < n.Minions[j].ID })
	sort.Slice(n.Nodes, func(i, j int) bool { return n.Nodes[i].ID < n.Nodes[j].ID })
}

// Walk visits the node and all below it, parents first. path holds the ids
// below the receiver, joined by "/"; it is empty for the receiver itself.
func (n Node) Walk(visit func(path string, n Node)) { n.walk("", visit) }

func (n Node) walk(path string, visit func(string, Node)) {
	visit(path, n)
	for _, c := range n.Nodes {
		below := c.ID
		if path != "" {
			below = path + "/" + c.ID
		}
		c.walk(below, visit)
	}
}

// Count gives the number of nodes below, of minions, and of minions that are up.
// A minion behind a node that is down does not count as up.
func (n Node) Count() (nodes, minions, up int) { return n.count(n.State == Down) }

func (n Node) count(cut bool) (nodes, minions, up int) {
	minions = len(n.Minions)
	for _, m := range n.Minions {
		if m.State == Up && !cut {
			up++
		}
	}
	for _, c := range n.Nodes {
		cn, cm, cu := c.count(cut || c.State == Down)
		nodes, minions, up = nodes+1+cn, minions+cm, up+cu
	}
	return nodes, minions, up
}
