package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/target"
)

// Where gives the minions that a word of a target means which speaks of the tree, seen
// from the node n: B@PATTERN all that are behind a node whose id the glob matches, or whose
// path does if it has a slash; D@N those with N nodes between, 0 being the node's own, and
// D@N-M and D@N- from N to M or to the end. What cannot be told, since nobody knows who is
// behind a syndic of Salt's, is an error.
func (n Node) Where(letter, pattern string) ([]string, error) {
	w := &whereabouts{}
	switch letter {
	case "B":
		found := false
		for _, c := range n.Nodes {
			found = w.behind(c, c.ID, pattern, false) || found
		}
		if !found && !strings.ContainsAny(pattern, "*?[") {
			return nil, fmt.Errorf("there is no node %s below; mom tree shows those that there are", pattern)
		}
	case "D":
		least, most, err := depths(pattern)
		if err != nil {
			return nil, err
		}
		w.at(n, 0, least, most)
	default:
		return nil, fmt.Errorf("%s@ is no place in the tree", letter)
	}
	if w.unknown != "" {
		return nil, fmt.Errorf("who is behind node %s is not known: it is a syndic of Salt's, or has not reported yet", w.unknown)
	}
	slices.Sort(w.ids)
	return slices.Compact(w.ids), nil
}

// whereabouts gathers minions.
type whereabouts struct {
	ids     []string
	unknown string // path of a node that may have some which nobody knows
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

// opaque tells whether the node may have minions that nobody here knows of.
func (n Node) opaque() bool { return n.Version == "" || n.Blind || n.State == Unknown }

// at takes the minions of the nodes that are from least to most below.
func (w *whereabouts) at(n Node, depth, least, most int) {
	if depth > most {
		return
	}
	if depth > 0 && n.opaque() { // what is further below is not known either
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

// depths reads N, N-M and N-.
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
		return 0, 0, fmt.Errorf("%q is no depth; it is a number from 0, this master's own minions, to %d, or two with a dash between", text, maxDepth)
	}
	return least, most, nil
}
