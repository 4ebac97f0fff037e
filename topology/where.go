package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/target"
)

// Where returns the minions selected by a target that refers to the tree, seen from the node n.
// B@PATTERN selects those behind nodes whose id matches the glob, or whose path does if it contains
// a slash. D@N selects those with N nodes between, 0 being the node's own; D@N-M and D@N- select
// ranges. It returns an error if the minions behind a node are not known.
func (n Node) Where(letter, pattern string) ([]string, error) {
	w := &whereabouts{}
	switch letter {
	case "B":
		found := false
		for _, c := range n.Nodes {
			found = w.behind(c, c.ID, pattern, false) || found
		}
		if !found && !strings.ContainsAny(pattern, "*?[") {
			return nil, fmt.Errorf("no node %s below; mom tree lists the nodes", pattern)
		}
	case "D":
		least, most, err := depths(pattern)
		if err != nil {
			return nil, err
		}
		w.at(n, 0, least, most)
	default:
		return nil, fmt.Errorf("unknown target type %s@", letter)
	}
	if w.unknown != "" {
		return nil, fmt.Errorf("minions behind node %s are not known: it is a Salt syndic, or has not reported yet", w.unknown)
	}
	slices.Sort(w.ids)
	return slices.Compact(w.ids), nil
}

// whereabouts collects minions.
type whereabouts struct {
	ids     []string
	unknown string // path of a node with unknown minions
}

func (w *whereabouts) behind(n Node, path, pattern string, inside bool) (found bool) {
	name := n.ID
	if strings.Contains(pattern, "/") {
		name = path
	}
	found = target.Glob(pattern, name)
	inside = inside || found
	if inside {
		w.take(n, path)
	}
	for _, c := range n.Nodes {
		found = w.behind(c, path+"/"+c.ID, pattern, inside) || found
	}
	return found
}

func (w *whereabouts) take(n Node, path string) {
	if n.opaque() {
		w.unknown = path
	}
	for _, m := range n.Minions {
		w.ids = append(w.ids, m.ID)
	}
}

// opaque reports whether the node may have minions that are not known here.
func (n Node) opaque() bool { return n.Version == "" || n.Blind || n.State == Unknown }

// at adds the minions of nodes from least to most tiers below.
func (w *whereabouts) at(n Node, depth, least, most int) {
	if depth > most {
		return
	}
	if depth > 0 && n.opaque() { // deeper tiers are not known either
		w.unknown = n.ID
	}
	if depth >= least {
		for _, m := range n.Minions {
			w.ids = append(w.ids, m.ID)
		}
	}
	for _, c := range n.Nodes {
		w.at(c, depth+1, least, most)
	}
}

// depths parses N, N-M and N-.
func depths(text string) (least, most int, err error) {
	from, to, several := strings.Cut(text, "-")
	if least, err = strconv.Atoi(from); err == nil {
		most = least
		if several {
			most = maxDepth
			if to != "" {
				most, err = strconv.Atoi(to)
			}
		}
	}
	if err != nil || least < 0 || most < least || most > maxDepth {
		return 0, 0, fmt.Errorf("invalid depth %q; use a number from 0, this master's own minions, to %d, or a range such as 1-2", text, maxDepth)
	}
	return least, most, nil
}
