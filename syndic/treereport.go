package syndic

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// treeReport is what one parent knows of the tree below this node.
type treeReport struct {
	tree *topology.Tree
	name string // of the parent

	told   uint64 // revision that the parent has; 0: it needs the whole
	deltas bool   // it takes differences

	at    uint64 // of the report under way
	delta bool   // it is a difference
	sent  time.Time
}

// fill adds to a report of presence what the parent does not have yet.
func (r *treeReport) fill(p *channel.Presence) {
	r.delta = false
	r.sent = time.Now()
	p.More = wire.NewMap("life", r.tree.Life(), "now", r.sent.UnixNano())
	if r.told != 0 && r.told == r.tree.Revision() {
		r.at = r.told
		return
	}
	if r.told != 0 && r.deltas {
		if d, ok := r.tree.Changes(r.told); ok {
			r.at, r.delta = d.To, true
			p.More.Set("delta", d.Map())
			return
		}
	}
	n, at := r.tree.Whole()
	r.at = at
	p.Tree = n.Map()
	p.More.Set("revision", at)
}

// take reads the answer to a report. again is set when the parent asks for the
// whole. An error says that the parent must not be above this node.
func (r *treeReport) take(reply *wire.Map) (again bool, err error) {
	r.tree.SetLag(time.Since(r.sent).Round(time.Millisecond))
	above := topology.AncestorsFrom(reply, "above")
	if reply.Bool("loop") {
		above = append(above, topology.Ancestor{ID: r.tree.Self(), Life: r.tree.Life()})
	}
	if err := r.tree.SetAbove(r.name, above); err != nil {
		r.told = 0
		return false, fmt.Errorf("the master %s: %w", r.name, err)
	}
	have, deltas := reply.Get("tree")
	r.deltas = deltas
	r.told = r.at
	if n, _ := have.(int64); deltas && uint64(max(n, 0)) != r.at {
		r.told = 0
		again = r.delta
	}
	return again, nil
}

// left tells that the parent is not above this node now.
func (r *treeReport) left() { r.tree.LeaveAbove(r.name) }
