package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/momtree/mom/topology"
)

// row is one line of the tree.
type row struct {
	path    string
	indent  string // the tree lines before the name
	node    *topology.Node
	minion  *topology.Minion // nil for a node
	state   topology.State   // as shown: nothing is up behind a node that is down
	folded  bool
	trouble bool
}

func (r row) name() string {
	if r.minion != nil {
		return r.minion.ID
	}
	return r.node.ID
}

// sortKey is the order of the rows below a node.
type sortKey int

const (
	byName sortKey = iota
	byTrouble
	byWorking
	byPending
	byLag
	byLoad
	sortKeys
)

func (k sortKey) String() string {
	return [...]string{"name", "trouble", "at work", "pending", "lag", "load"}[k]
}

// list returns the visible rows in order.
func (t *Tree) list() []row {
	l := lister{t: t, words: strings.Fields(strings.ToLower(t.filter))}
	root := t.snap.Root
	l.add(&root, root.ID, "", "", topology.Up)
	return l.rows
}

type lister struct {
	t     *Tree
	words []string
	rows  []row
}

// narrow reports whether a filter is active, so that folds do not count.
func (l *lister) narrow() bool { return len(l.words) > 0 || l.t.onlyTrouble }

// wanted reports whether a row matches the filter. A word that is a state matches the state; other
// words match the path.
func (l *lister) wanted(r row) bool {
	if l.t.onlyTrouble && !r.trouble {
		return false
	}
	path := strings.ToLower(r.path)
	for _, w := range l.words {
		if w == string(r.state) {
			continue
		}
		if !strings.Contains(path, w) {
			return false
		}
	}
	return true
}

// add lists a node and the rows below it, and reports whether any row matched. path begins with the
// root's id.
func (l *lister) add(n *topology.Node, path, first, rest string, above topology.State) bool {
	state := n.State
	if above == topology.Down {
		state = topology.Unknown
	}
	r := row{path: path, indent: first, node: n, state: state}
	r.trouble = n.State == topology.Down || l.t.troubled(path) || n.Vitals.PendingAge > oldRows
	r.folded = l.t.folded[path] && !l.narrow()
	at := len(l.rows)
	l.rows = append(l.rows, r)
	found := l.wanted(r)
	if r.folded {
		return found
	}
	if n.State == topology.Down {
		above = topology.Down
	}
	type child struct {
		minion *topology.Minion
		node   *topology.Node
	}
	var below []child
	if l.t.minions || l.narrow() {
		for _, i := range l.t.minionOrder(n.Minions) {
			m := &n.Minions[i]
			if r := l.leaf(m, path, above); l.narrow() && !l.wanted(r) {
				continue
			}
			below = append(below, child{minion: m})
		}
	}
	for _, c := range l.t.nodeOrder(n.Nodes) {
		below = append(below, child{node: &n.Nodes[c]})
	}
	for _, c := range below {
		// The last one is known only when all are listed.
		if c.minion != nil {
			r := l.leaf(c.minion, path, above)
			r.indent = rest + "├ "
			l.rows = append(l.rows, r)
			found = true
			continue
		}
		if !l.add(c.node, path+"/"+c.node.ID, rest+"├ ", rest+"│ ", above) && l.narrow() {
			continue
		}
		found = true
	}
	if !found && l.narrow() && at > 0 {
		l.rows = l.rows[:at]
		return false
	}
	l.lastBranch(at+1, rest)
	return found
}

// lastBranch turns the branch of the last child, listed from row at on, into a corner, and removes the
// line beside its rows.
func (l *lister) lastBranch(at int, rest string) {
	branch, beside, blank := rest+"├ ", rest+"│ ", rest+"  "
	for i := len(l.rows) - 1; i >= at; i-- {
		r := &l.rows[i]
		if r.indent == branch {
			r.indent = rest + "└ "
			return
		}
		r.indent = blank + strings.TrimPrefix(r.indent, beside)
	}
}

func (l *lister) leaf(m *topology.Minion, node string, above topology.State) row {
	r := row{path: node + "/" + m.ID, minion: m, state: m.State}
	if above == topology.Down {
		r.state = topology.Unknown
	}
	r.trouble = m.State == topology.Down || l.t.troubled(r.path)
	return r
}

// troubled reports whether there is a problem at a path. Problems may have the path with or without
// the root's id.
func (t *Tree) troubled(path string) bool {
	if len(t.bad) == 0 {
		return false
	}
	_, short, _ := strings.Cut(path, "/")
	return t.bad[path] || short != "" && t.bad[short]
}

func (t *Tree) minionOrder(ms []topology.Minion) []int {
	out := upTo(len(ms))
	if t.sort == byTrouble {
		rank := map[topology.State]int{topology.Down: 0, topology.Unknown: 1, topology.Up: 2}
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(rank[ms[a].State], rank[ms[b].State]) })
	}
	return out
}

func (t *Tree) nodeOrder(ns []topology.Node) []int {
	out := upTo(len(ns))
	if t.sort == byName {
		return out
	}
	weigh := func(n topology.Node) float64 {
		v := n.Vitals
		switch t.sort {
		case byTrouble:
			if n.State == topology.Down {
				return 1e18
			}
			return v.PendingAge.Seconds()
		case byWorking:
			return float64(v.Working)
		case byPending:
			return float64(v.Pending)
		case byLag:
			return v.Lag.Seconds()
		}
		return v.Load
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(weigh(ns[b]), weigh(ns[a])) })
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
