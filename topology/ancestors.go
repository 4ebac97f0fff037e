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

// Parent is a direct parent of this node.
type Parent struct {
	ID    string
	Up    bool
	Since time.Time
}

// Path returns the nodes from the top to this one, as reported to its children. With several
// parents the path through the first one by name comes last; the nodes of the others precede it, so
// that a loop through any of them shows.
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

// LeaveAbove removes the path through a parent that is not connected.
func (t *Tree) LeaveAbove(parent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.above, parent)
	if p := t.parents[parent]; p.Up {
		p.Up, p.Since = false, t.now()
		t.parents[parent] = p
	}
}

// Parents returns the parents that have ever reported their path, by id.
func (t *Tree) Parents() (out []Parent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.parents {
		out = append(out, p)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// ParentID returns the id of a parent by the name that its path was recorded under. known is false
// if it has not reported its path since the start.
func (t *Tree) ParentID(name string) (id string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, known := t.parents[name]
	return p.ID, known
}

// SetAbove records the path reported by a parent. It returns [ErrLoop], and records a problem, if
// the path contains this very node. Another node with the same id is only a problem.
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
	if err != nil || len(path) == 0 { // an older parent reports no path
		delete(t.above, parent)
	} else {
		t.above[parent] = path
		id := path[len(path)-1].ID
		if p := t.parents[parent]; !p.Up || p.ID != id {
			t.parents[parent] = Parent{id, true, t.now()}
		}
	}
	t.mu.Unlock()
	t.SetProblem(Problem{
		Kind: Loop, Detail: fmt.Sprintf("%s is below itself by way of %s, which is refused; take one of the two out of syndic_master of the other", t.self.ID, parent),
	}, parent, err != nil)
	t.SetProblem(Problem{
		Kind: DuplicateNode, Detail: fmt.Sprintf("a node above %s has the same id; give each its own `id`", t.self.ID),
	}, parent, twin)
	return err
}

// AncestorsWire encodes a path for a report.
func AncestorsWire(path []Ancestor) []any {
	out := make([]any, 0, len(path))
	for _, a := range path {
		out = append(out, []any{a.ID, a.Life, a.Key})
	}
	return out
}

// AncestorsFrom decodes what [AncestorsWire] encoded; it skips invalid entries.
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

// problemKey identifies a problem of this node.
type problemKey struct {
	kind  Kind
	about string
}

// SetProblem adds or removes a problem of this node; about distinguishes problems of one kind. A
// repeated problem keeps its Since and is not a change.
func (t *Tree) SetProblem(p Problem, about string, on bool) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.setProblem(p, about, on)
}

// setProblem is SetProblem for callers that hold t.mu.
func (t *Tree) setProblem(p Problem, about string, on bool) (changed bool) {
	key := problemKey{p.Kind, about}
	old, was := t.problems[key]
	switch {
	case !on && !was, on && was && old.Detail == p.Detail && old.Path == p.Path, on && !was && len(t.problems) >= maxOwnProblems:
		return false
	case !on:
		delete(t.problems, key)
	default:
		if p.Since = t.now(); was {
			p.Since = old.Since
		}
		p.Since = p.Since.Round(time.Millisecond)
		t.problems[key] = p
	}
	t.touch(change{"", "", aHead})
	return true
}

// head returns this node without minions and nodes; t.mu is held.
func (t *Tree) head() Node {
	n := t.self
	n.Was = t.wasNow()
	for _, p := range t.problems {
		n.Problems = append(n.Problems, p)
	}
	sort.Slice(n.Problems, func(i, j int) bool {
		a, b := n.Problems[i], n.Problems[j]
		return a.Kind < b.Kind || a.Kind == b.Kind && a.Path+a.Detail < b.Path+b.Detail
	})
	return n
}
