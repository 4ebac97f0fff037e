package topology

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"time"
)

// revision is the newest revision reported by a node.
type revision struct {
	life string
	at   uint64
}

// ErrLoop means that a node is below itself.
var ErrLoop = errors.New("loop: this node is below itself; remove one of the two from syndic_master of the other")

// Whole returns the whole tree for a report, and its revision.
func (t *Tree) Whole() (Node, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.all()
	n.Heard = nil // each node has its own
	return n, t.log.last
}

// Changes returns the changes after a revision, or false if they were forgotten.
func (t *Tree) Changes(since uint64) (Delta, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list, ok := t.log.since(since)
	if !ok {
		return Delta{}, false
	}
	d := Delta{From: since, To: t.log.last}
	seen := make(map[change]bool, len(list))
	parts := map[string]*Part{}
	part := func(path string) *Part {
		if parts[path] == nil {
			parts[path] = &Part{Path: path}
		}
		return parts[path]
	}
	for _, c := range list {
		if !seen[c] {
			seen[c] = true
			t.addChange(c, part)
		}
	}
	for _, p := range parts {
		if !within(parts, p.Path) {
			d.Parts = append(d.Parts, *p)
		}
	}
	sort.Slice(d.Parts, func(i, j int) bool { return d.Parts[i].Path < d.Parts[j].Path })
	return d, true
}

// addChange adds the newest state of what changed; t.mu is held.
func (t *Tree) addChange(c change, part func(string) *Part) {
	n, ok := t.at(c.path)
	if !ok { // removed later, which is another change
		return
	}
	switch c.aspect {
	case aHead:
		h := n
		h.Minions, h.Nodes, h.Heard = nil, nil, nil
		part(c.path).Head = &h
	case aVitals:
		part(c.path).Vitals = &n.Vitals
	case aMinion:
		m, ok := n.Minion(c.id)
		if c.path == "" {
			m, ok = t.minions[c.id]
		}
		if p := part(c.path); ok {
			p.Minions = append(p.Minions, m)
		} else {
			p.Gone = append(p.Gone, c.id)
		}
	case aChild:
		child, ok := t.at(join(c.path, c.id))
		if p := part(c.path); ok {
			p.Nodes = append(p.Nodes, child)
		} else {
			p.Left = append(p.Left, c.id)
		}
	}
}

// within reports whether a path is inside a node that is reported as a whole.
func within(parts map[string]*Part, path string) bool {
	above := ""
	for path != "" {
		var id string
		id, path, _ = strings.Cut(path, "/")
		if p := parts[above]; p != nil && slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.ID == id }) {
			return true
		}
		above = join(above, id)
	}
	return false
}

// at returns a node, for this node itself only its head. t.mu is held.
func (t *Tree) at(path string) (Node, bool) {
	if path == "" {
		return t.head(), true
	}
	id, rest, _ := strings.Cut(path, "/")
	n, ok := t.nodes[id]
	if !ok {
		return Node{}, false
	}
	return n.At(rest)
}

// SetNode replaces the subtree of a child; the tree owns it afterwards. A minion of the same id
// stays, since the two may share a host. An equal subtree is not a change.
func (t *Tree) SetNode(n Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setNode(n)
}

func (t *Tree) setNode(n Node) {
	old, known := t.nodes[n.ID]
	if !known || old.State != n.State {
		n.Since = t.now()
	} else {
		n.Since = old.Since
	}
	n.Vitals.Skew = t.skews[n.ID]
	if !known {
		t.enter(n, known)
		return
	}
	quiet := differences(old, n, n.ID, t.log.add)
	t.nodes[n.ID] = n
	if !quiet {
		t.notify()
	}
}

// Report is [Tree.SetNode] for a child that counts revisions: its next delta may start at this one.
// It returns [ErrLoop] if this node is in the subtree.
func (t *Tree) Report(n Node, at uint64) error {
	if n.has(t.self.Life) {
		return ErrLoop
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setNode(n)
	t.setLife(n.ID, n.Life)
	t.have[n.ID] = revision{n.Life, at}
	delete(t.pieces, n.ID)
	return nil
}

func (n Node) has(life string) bool {
	return n.Life == life || slices.ContainsFunc(n.Nodes, func(c Node) bool { return c.has(life) })
}

// Apply applies a delta from a child in its current life. It returns [ErrStale] if the whole tree
// is needed. The child's own state is not taken from the delta.
func (t *Tree) Apply(id, life string, d Delta) error {
	for i := range d.Parts {
		p := &d.Parts[i]
		if slices.ContainsFunc(p.Nodes, func(c Node) bool { return c.has(t.self.Life) }) || p.Head != nil && p.Head.Life == t.self.Life {
			return ErrLoop
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.nodes[id]
	delete(t.pieces, id)
	if h := t.have[id]; !known || life == "" || h != (revision{life, d.From}) {
		return ErrStale
	}
	n, err := old.apply(d)
	if err != nil {
		delete(t.have, id)
		return err
	}
	n.ID, n.Role, n.State, n.Since, n.Vitals.Skew, n.Life = id, old.Role, old.State, old.Since, t.skews[id], life
	t.nodes[id] = n
	t.have[id] = revision{life, d.To}
	d.changes(id, t.log.add)
	if d.loud() {
		t.notify()
	}
	return nil
}

// Have returns the revision up to which a child has reported in this life; 0 if the whole tree is
// needed.
func (t *Tree) Have(id, life string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.have[id]; h.life == life {
		return h.at
	}
	return 0
}

// SetSkew sets the clock skew of a child: its clock minus this node's.
func (t *Tree) SetSkew(id string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skews[id] = d
	if n, ok := t.nodes[id]; ok && n.Vitals.Skew != d {
		n.Vitals.Skew = d
		t.nodes[id] = n
		t.log.add(change{id, "", aVitals})
	}
}

// SetVitals sets this node's vitals, except its lag. It does not notify watchers: vitals go with
// the next report.
func (t *Tree) SetVitals(v Vitals) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v.Lag = t.self.Vitals.Lag
	t.setVitals(v)
	t.forgetTwins()
}

// SetLag sets the round trip time of the last report to a parent.
func (t *Tree) SetLag(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.self.Vitals
	v.Lag = d
	t.setVitals(v)
}

func (t *Tree) setVitals(v Vitals) {
	if t.self.Vitals != v {
		t.self.Vitals = v
		t.log.add(change{"", "", aVitals})
	}
}
