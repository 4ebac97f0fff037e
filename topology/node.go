package topology

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// State is the state of a minion or node.
type State string

// The states.
const (
	Up   State = "up"
	Down State = "down"
	// Unknown: a key is accepted, but its owner does not report presence, such as a Python minion.
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

// Node is a master with its subtree.
type Node struct {
	ID      string
	Role    string // "master" at the top, "syndic" below
	Version string
	State   State
	Since   time.Time // time of the last change of State
	Minions []Minion  // sorted by id
	Nodes   []Node    // sorted by id
	Vitals  Vitals
	// Life is a random id of this run of the program: two places with one id and one life are one
	// node below two masters. "" if unknown.
	Life string
	// Key is the fingerprint of the master's key, which signs its gossip records: SHA-256 in hex.
	// "" if unknown.
	Key string
	// Blind means that the node does not know the minions below it, such as a forwarder beside a
	// Salt master. An empty Minions then means nothing.
	Blind bool
	// Heard are nodes known by gossip only. It is set on the tree's own node.
	Heard []Heard
	// Tops are the other tops of the cluster. It is set on the node that reports the tree.
	Tops []Top
	// Was names the nodes that minions and child nodes of this one were at before.
	Was []Was
	// Problems are reported by the node itself. Their paths are relative to it; "" is the node.
	Problems []Problem
}

// maxDepth bounds the tiers of a report.
const maxDepth = 16

// ErrDepth means that a tree is deeper than 16 tiers.
var ErrDepth = errors.New("tree has more than 16 tiers; a node may be its own ancestor")

// Map encodes the node for a report to a parent.
func (n Node) Map() *value.Map {
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
	if n.Life != "" {
		m.Set("life", n.Life)
	}
	if n.Key != "" {
		m.Set("key", n.Key)
	}
	if n.Blind {
		m.Set("blind", true)
	}
	if len(n.Heard) > 0 {
		m.Set("heard", heardWire(n.Heard))
	}
	if len(n.Tops) > 0 {
		m.Set("tops", topsWire(n.Tops))
	}
	if len(n.Was) > 0 {
		m.Set("was", wasWire(n.Was))
	}
	if len(n.Problems) > 0 {
		m.Set("problems", problemsWire(n.Problems))
	}
	return m
}

// FromMap decodes what [Node.Map] encoded. Unknown states, from newer programs, count as Unknown.
func FromMap(m *value.Map) (Node, error) { return fromMap(m, 0) }

func fromMap(m *wire.Map, depth int) (Node, error) {
	if depth >= maxDepth {
		return Node{}, ErrDepth
	}
	n := Node{ID: m.String("id"), Role: m.String("role"), Version: m.String("version"), State: state(m.String("state"))}
	if n.ID == "" {
		return Node{}, errors.New("tree report: node without id")
	}
	n.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
	n.Key, n.Blind, n.Heard = m.String("key"), m.Bool("blind"), heardFrom(m.List("heard"))
	n.Vitals, n.Life, n.Problems = vitalsFrom(m.Map("vitals")), m.String("life"), problemsFrom(m.List("problems"))
	n.Tops, n.Was = topsFrom(m.List("tops")), wasFrom(m.List("was"))
	for _, v := range m.List("minions") {
		min, err := minionFrom(v)
		if err != nil {
			return Node{}, fmt.Errorf("node %s: %w", n.ID, err)
		}
		n.Minions = append(n.Minions, min)
	}
	for _, v := range m.List("nodes") {
		c, ok := v.(*wire.Map)
		if !ok {
			return Node{}, fmt.Errorf("node %s: child is not a map", n.ID)
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

func minionFrom(v any) (Minion, error) {
	f, ok := v.([]any)
	if !ok || len(f) != 3 {
		return Minion{}, errors.New("minion is not [id, state, version]")
	}
	id, _ := f[0].(string)
	st, _ := f[1].(string)
	version, _ := f[2].(string)
	if id == "" {
		return Minion{}, errors.New("minion without id")
	}
	return Minion{ID: id, State: state(st), Version: version}, nil
}

// sameHead compares two nodes without vitals, minions and nodes.
func (n Node) sameHead(o Node) bool {
	return n.ID == o.ID && n.Role == o.Role && n.Version == o.Version && n.State == o.State && n.Since.Equal(o.Since) &&
		n.Life == o.Life && n.Key == o.Key && n.Blind == o.Blind && slices.EqualFunc(n.Was, o.Was, Was.equal) && slices.EqualFunc(n.Problems, o.Problems, func(a, b Problem) bool {
		return a.Kind == b.Kind && a.Path == b.Path && a.Detail == b.Detail && a.Since.Equal(b.Since)
	})
}

func (n *Node) sort() {
	sort.Slice(n.Minions, func(i, j int) bool { return n.Minions[i].ID < n.Minions[j].ID })
	sort.Slice(n.Nodes, func(i, j int) bool { return n.Nodes[i].ID < n.Nodes[j].ID })
}

// Walk visits the node and all below it, parents first. path holds the ids below the receiver,
// joined by "/"; it is empty for the receiver.
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

// Count returns the number of nodes below, of minions, and of minions that are up. A minion of
// several nodes counts once; one behind a node that is down does not count as up.
func (n Node) Count() (nodes, minions, up int) {
	nodes = -1 // n itself
	n.Walk(func(string, Node) { nodes++ })
	states := n.MinionStates()
	for _, c := range states {
		minions += c
	}
	return nodes, minions, states[Up]
}

// MinionStates counts minions by state. A minion of several nodes counts once, and as up if it is
// up at any. Minions behind a node that is down are unknown.
func (n Node) MinionStates() map[State]int {
	out := map[State]int{}
	lists, total := 0, 0
	n.Walk(func(_ string, c Node) {
		if len(c.Minions) > 0 {
			lists++
			total += len(c.Minions)
		}
	})
	shown := func(m Minion, cut bool) State {
		if cut {
			return Unknown
		}
		return m.State
	}
	if lists <= 1 { // no duplicates possible
		n.eachState(n.State == Down, func(m Minion, cut bool) { out[shown(m, cut)]++ })
		return out
	}
	rank := map[State]int{Down: 1, Up: 2}
	states := make(map[string]State, total)
	n.eachState(n.State == Down, func(m Minion, cut bool) {
		s := shown(m, cut)
		if old, twice := states[m.ID]; !twice || rank[s] > rank[old] {
			states[m.ID] = s
		}
	})
	for _, s := range states {
		out[s]++
	}
	return out
}

// eachState visits all minions; cut means that the minion is behind a node that is down.
func (n Node) eachState(cut bool, visit func(m Minion, cut bool)) {
	for _, m := range n.Minions {
		visit(m, cut)
	}
	for _, c := range n.Nodes {
		c.eachState(cut || c.State == Down, visit)
	}
}
