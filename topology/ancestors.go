package topology

import (
	"fmt"
	"sort"
	"time"

	"github.com/momtree/mom/value"
)

// Ancestor is a node above.
type Ancestor struct {
	ID, Life string
	Key      string // see [Node]
}

// Parent is the node right above on one way.
type Parent struct {
	ID    string
	Up    bool
	Since time.Time
}

// Path lists the nodes from the top down to this one, this one last, as its
// children are told. A node below several masters names the way through the
// first of them by name; the others are in front of it, so that a loop through
// any of them shows.
func (t *Tree) Path() []Ancestor {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Ancestor
	seen := map[Ancestor]bool{}
	parents := make([]string, 0, len(t.above))
	for p := range t.above {
		parents = append(parents, p)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(parents)))
	for _, p := range parents {
		for _, a := range t.above[p] {
			if !seen[a] && len(out) < 4*maxDepth {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return append(out, Ancestor{t.self.ID, t.self.Life, t.self.Key})
}

// LeaveAbove forgets the path through a parent that is not connected.
func (t *Tree) LeaveAbove(parent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.above, parent)
	if p := t.parents[parent]; p.Up {
		p.Up, p.Since = false, t.now()
		t.parents[parent] = p
	}
}

// Parents lists the nodes right above that have ever told their path.
func (t *Tree) Parents() (out []Parent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.parents {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// SetAbove takes the path that a parent has told. A
// path that holds this very node is refused with [ErrLoop], and told as a
// problem. Another node of the same id is told as a problem only.
func (t *Tree) SetAbove(parent string, path []Ancestor) error {
	var err error
	twin := false
	for _, a := range path {
		switch {
		case a.Life != "" && a.Life == t.self.Life:
			err = ErrLoop
		case a.ID == t.self.ID && a.Life != "":
			twin = true
		}
	}
	t.mu.Lock()
	if err != nil || len(path) == 0 { // a parent that does not tell
		delete(t.above, parent)
	} else {
		t.above[parent] = path
		id := path[len(path)-1].ID
		if p := t.parents[parent]; !p.Up || p.ID != id {
			t.parents[parent] = Parent{id, true, t.now()}
		}
	}
	t.mu.Unlock()
	t.Tell(Problem{
		Kind: Loop, Detail: fmt.Sprintf("%s is below itself by way of %s, which is refused; take one of the two out of syndic_master of the other", t.self.ID, parent),
	}, parent, err != nil)
	t.Tell(Problem{
		Kind: DuplicateNode, Detail: fmt.Sprintf("a node above %s has the same id; give each its own `id`", t.self.ID),
	}, parent, twin)
	return err
}

// AncestorsWire gives a path in the form in which children are told.
func AncestorsWire(path []Ancestor) []any {
	out := make([]any, 0, len(path))
	for _, a := range path {
		out = append(out, []any{a.ID, a.Life, a.Key})
	}
	return out
}

// AncestorsFrom reads what [AncestorsWire] wrote; what is none is left out.
func AncestorsFrom(m *value.Map, key string) (out []Ancestor) {
	for _, v := range m.List(key) {
		f, ok := v.([]any)
		if !ok || len(f) < 2 || len(out) >= 4*maxDepth {
			continue
		}
		id, _ := f[0].(string)
		life, _ := f[1].(string)
		if id != "" {
			a := Ancestor{ID: id, Life: life}
			if len(f) > 2 {
				a.Key, _ = f[2].(string)
			}
			out = append(out, a)
		}
	}
	return out
}

// toldKey sets problems of one kind apart by what they are about.
type toldKey struct {
	kind  Kind
	about string
}

// Tell enters, or takes back, a problem of this node itself; about sets problems
// of one kind apart. A problem that is told again keeps its Since, and is no change.
func (t *Tree) Tell(p Problem, about string, on bool) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tellSelf(p, about, on)
}

// tellSelf is Tell; t.mu is held.
func (t *Tree) tellSelf(p Problem, about string, on bool) (changed bool) {
	key := toldKey{p.Kind, about}
	old, was := t.told[key]
	switch {
	case !on && !was, on && was && old.Detail == p.Detail && old.Path == p.Path, on && !was && len(t.told) >= maxTold:
		return false
	case !on:
		delete(t.told, key)
	default:
		if p.Since = t.now(); was {
			p.Since = old.Since
		}
		p.Since = p.Since.Round(time.Millisecond)
		t.told[key] = p
	}
	t.touch(change{"", "", aHead})
	return true
}

// head is what this node says of itself; t.mu is held.
func (t *Tree) head() Node {
	n := t.self
	for _, p := range t.told {
		n.Told = append(n.Told, p)
	}
	sort.Slice(n.Told, func(i, j int) bool {
		a, b := n.Told[i], n.Told[j]
		return a.Kind < b.Kind || a.Kind == b.Kind && a.Path+a.Detail < b.Path+b.Detail
	})
	return n
}
