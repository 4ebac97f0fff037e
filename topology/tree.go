package topology

import (
	"crypto/rand"
	"sync"
	"time"
)

// Tree is one node's view of itself and of all below it. It is safe for
// concurrent use.
type Tree struct {
	now func() time.Time

	mu       sync.Mutex
	self     Node // Minions and Nodes unused
	minions  map[string]Minion
	nodes    map[string]Node
	have     map[string]revision   // what the nodes right below have reported
	pieces   map[string]*gathering // of reports that they have begun
	lives    map[string]lives
	skews    map[string]time.Duration
	above    map[string][]Ancestor // by the parent that has told them
	parents  map[string]Parent     // by the same
	told     map[toldKey]Problem   // what this node itself tells
	log      changelog
	watchers map[chan struct{}]struct{}
}

// NewTree makes the tree of the node self, which is up. now is the clock; nil
// means time.Now.
func NewTree(self Node, now func() time.Time) *Tree {
	if now == nil {
		now = time.Now
	}
	self.State, self.Since, self.Life = Up, now(), rand.Text()
	return &Tree{
		now: now, self: self, minions: map[string]Minion{}, nodes: map[string]Node{},
		have: map[string]revision{}, pieces: map[string]*gathering{}, skews: map[string]time.Duration{}, lives: map[string]lives{}, above: map[string][]Ancestor{}, parents: map[string]Parent{}, told: map[toldKey]Problem{},
		log:      changelog{last: 1}, // 0 is what a parent has that has heard nothing
		watchers: map[chan struct{}]struct{}{},
	}
}

// Watch delivers a value when the tree differs from what it was at the last
// delivery; changes in between are one value. Each watcher has its own channel
// and ends it with stop.
func (t *Tree) Watch() (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watchers[c] = struct{}{}
	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, c)
	}
}

// Revision counts the changes: what was read after a call of Revision is at
// least as new as the number it gave.
func (t *Tree) Revision() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.last
}

// touch counts a change and tells the watchers; t.mu is held.
func (t *Tree) touch(c change) {
	t.log.add(c)
	t.ring()
}

// ring tells the watchers; t.mu is held.
func (t *Tree) ring() {
	for c := range t.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// SetMinion enters or alters one of this node's own minions.
func (t *Tree) SetMinion(m Minion) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.minions[m.ID]; ok && m.Version == "" {
		m.Version = old.Version
	}
	if t.minions[m.ID] != m {
		t.minions[m.ID] = m
		t.touch(change{"", m.ID, aMinion})
	}
}

// RemoveMinion takes one of this node's own minions out of the tree.
func (t *Tree) RemoveMinion(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeMinion(id)
}

func (t *Tree) removeMinion(id string) {
	if _, known := t.minions[id]; known {
		delete(t.minions, id)
		t.touch(change{"", id, aMinion})
	}
}

// Remove takes an id out of the tree, as a minion and as a node right below.
func (t *Tree) Remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeMinion(id)
	if _, known := t.nodes[id]; known {
		delete(t.nodes, id)
		delete(t.have, id)
		delete(t.pieces, id)
		delete(t.skews, id)
		delete(t.lives, id)
		t.touch(change{"", id, aChild})
	}
}

// SetNodeState alters the state of a node right below, and tells whether it was
// another one; what is known of its subtree stays. An unknown node is entered with
// nothing below it.
func (t *Tree) SetNodeState(id string, s State) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.nodes[id]
	if known && n.State == s {
		return false
	}
	if !known {
		n = Node{ID: id, Role: "syndic"}
	}
	if s == Down {
		delete(t.pieces, id)
	}
	n.State, n.Since = s, t.now()
	t.enter(n, known)
	return true
}

// Node gives the subtree of a node right below.
func (t *Tree) Node(id string) (Node, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.nodes[id]
	return n, ok
}

// enter puts the new form of a node right below in its place, where a node was
// known or not; t.mu is held.
func (t *Tree) enter(n Node, known bool) {
	t.nodes[n.ID] = n
	if known {
		t.touch(change{n.ID, "", aHead})
	} else {
		t.touch(change{"", n.ID, aChild})
	}
}

// Self is the id of the tree's own node.
func (t *Tree) Self() string { return t.self.ID }

// Life names this life of the node.
func (t *Tree) Life() string { return t.self.Life }

// Snapshot gives the whole tree, sorted. The caller owns it, but must not alter
// the subtrees in it.
//
// A node that has moved is up in its new place and still known as down in the
// old one: the old place is left out. So is the place that a minion has left.
func (t *Tree) Snapshot() Node { return t.snapshot().withoutMoved().withoutLeft() }

// Skeleton is Snapshot without this node's own minions. It is cheap in a large
// tree: nothing in it is copied but the list of nodes.
func (t *Tree) Skeleton() Node {
	t.mu.Lock()
	n := t.head()
	for _, c := range t.nodes {
		n.Nodes = append(n.Nodes, c)
	}
	t.mu.Unlock()
	n.sort()
	return n.withoutMoved()
}

func (t *Tree) snapshot() Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all()
}

// all is the tree with all it knows; t.mu is held.
func (t *Tree) all() Node {
	n := t.head()
	n.Minions = make([]Minion, 0, len(t.minions))
	for _, m := range t.minions {
		n.Minions = append(n.Minions, m)
	}
	n.Nodes = make([]Node, 0, len(t.nodes))
	for _, c := range t.nodes {
		n.Nodes = append(n.Nodes, c)
	}
	n.sort()
	return n
}
