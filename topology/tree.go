package topology

import (
	"crypto/rand"
	"sync"
	"time"
)

// Tree is one node's view of itself and of all below it. It is safe for concurrent use.
type Tree struct {
	now func() time.Time

	mu       sync.Mutex
	self     Node // Minions and Nodes unused
	minions  map[string]Minion
	nodes    map[string]Node
	have     map[string]revision   // revision of each child
	pieces   map[string]*gathering // incomplete reports of children
	lives    map[string]lives
	skews    map[string]time.Duration
	above    map[string][]Ancestor  // by parent
	parents  map[string]Parent      // by parent
	problems map[problemKey]Problem // problems of this node
	was      map[string]was         // by id of a minion or child
	log      changelog
	watchers map[chan struct{}]struct{}
}

// NewTree returns the tree of the node self, which is up. now is the clock; nil means time.Now.
func NewTree(self Node, now func() time.Time) *Tree {
	if now == nil {
		now = time.Now
	}
	self.State, self.Since, self.Life = Up, now(), rand.Text()
	return &Tree{
		now: now, self: self, minions: map[string]Minion{}, nodes: map[string]Node{},
		have: map[string]revision{}, pieces: map[string]*gathering{}, skews: map[string]time.Duration{}, lives: map[string]lives{}, above: map[string][]Ancestor{}, parents: map[string]Parent{}, problems: map[problemKey]Problem{}, was: map[string]was{},
		log:      changelog{last: 1}, // 0 is the revision of a parent that knows nothing
		watchers: map[chan struct{}]struct{}{},
	}
}

// Watch returns a channel that receives a value after the tree has changed; several changes may
// share one value. stop ends the watch.
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

// Revision returns the number of changes. What is read after a call is at least as new.
func (t *Tree) Revision() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.last
}

// touch records a change and notifies the watchers; t.mu is held.
func (t *Tree) touch(c change) {
	t.log.add(c)
	t.notify()
}

// notify wakes the watchers; t.mu is held.
func (t *Tree) notify() {
	for c := range t.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// SetMinion adds or changes one of this node's own minions.
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

// RemoveMinion removes one of this node's own minions.
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

// Remove removes an id, as a minion and as a child node.
func (t *Tree) Remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.was, id)
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

// SetNodeState sets the state of a child and reports whether it changed. The child's subtree stays.
// An unknown child is added without a subtree.
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

// Node returns the subtree of a child.
func (t *Tree) Node(id string) (Node, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.nodes[id]
	return n, ok
}

// enter stores a child; known means that it was there before. t.mu is held.
func (t *Tree) enter(n Node, known bool) {
	t.nodes[n.ID] = n
	if known {
		t.touch(change{n.ID, "", aHead})
	} else {
		t.touch(change{"", n.ID, aChild})
	}
}

// Self returns the id of the tree's own node.
func (t *Tree) Self() string { return t.self.ID }

// Life returns the random id of this run of the node.
func (t *Tree) Life() string { return t.self.Life }

// Snapshot returns the whole tree, sorted. The caller owns it, but must not modify its subtrees. It
// omits the previous places of nodes and minions that moved and are up elsewhere.
func (t *Tree) Snapshot() Node { return t.snapshot().withoutMoved().withoutLeft() }

// Skeleton is [Tree.Snapshot] without this node's own minions. It is cheap in a large tree: it
// copies only the list of nodes.
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

// all returns the tree with everything it knows; t.mu is held.
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
