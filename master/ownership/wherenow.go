package ownership

import (
	"strings"

	"github.com/momtree/mom/topology"
)

// WhereNow returns the path of a node below that a minion is connected to, other than the given
// one. The engine calls it under its lock for each minion that a node misses, so it looks first at
// the siblings of the node that the minion left.
func (p *Policy) WhereNow(id, other string) (path string, ok bool) {
	for _, head := range p.claims.Connected(id) {
		n, known := p.o.Tree.Node(head)
		if !known || n.State != topology.Up {
			continue
		}
		if below, inside := strings.CutPrefix(other, head+"/"); inside {
			if path, ok, known := besideNow(n, id, below); known {
				if !ok {
					return "", false
				}
				return head + "/" + path, true
			}
		}
		if path, ok := upBelow(n, id, head, other); ok {
			return path, true
		}
	}
	return "", false
}

// besideNow looks at the siblings of the node at path below n. known is false if none has the
// minion. The node at path may still list it, as its last report is older.
func besideNow(n topology.Node, id, path string) (sibling string, ok, known bool) {
	above, self := "", path
	for {
		child, rest, deeper := strings.Cut(self, "/")
		if !deeper {
			break
		}
		next, has := childOf(n, child)
		if !has {
			return "", false, false
		}
		n, self, above = next, rest, above+child+"/"
	}
	stale := false
	for _, c := range n.Nodes {
		switch {
		case !hasUp(c, id):
		case c.ID == self:
			stale = true
		default:
			return above + c.ID, true, true
		}
	}
	return "", false, stale
}

func childOf(n topology.Node, id string) (topology.Node, bool) {
	for _, c := range n.Nodes {
		if c.ID == id {
			return c, true
		}
	}
	return topology.Node{}, false
}

func hasUp(n topology.Node, id string) bool {
	if n.State == topology.Down {
		return false
	}
	m, has := n.Minion(id)
	return has && m.State == topology.Up
}

// upBelow searches n, at path, and everything below it.
func upBelow(n topology.Node, id, path, other string) (at string, ok bool) {
	if path != other && hasUp(n, id) {
		return path, true
	}
	for _, c := range n.Nodes {
		if at, ok := upBelow(c, id, path+"/"+c.ID, other); ok {
			return at, true
		}
	}
	return "", false
}
