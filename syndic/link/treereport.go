package link

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// TreeReport tracks what one parent knows of the tree below this node. It is not safe for concurrent
// use.
type TreeReport struct {
	tree       *topology.Tree
	name       string // of the parent
	parentLife string // of the parent, from its last answer

	rescues *logs.Rescues

	acked  uint64 // revision that the parent has; 0: it needs the whole tree
	deltas bool   // the parent accepts deltas
	asked  bool   // pieces is known
	pieces bool   // the parent accepts pieces

	at        uint64           // revision of the current report
	delta     bool             // the current report is a delta
	asking    bool             // the current report only asks what the parent accepts
	rest      []topology.Piece // unsent pieces of it; the first is in flight
	restarted bool             // it was restarted once
	sent      time.Time
}

// NewTreeReport returns the state for a parent that knows nothing. It counts trees lost by the parent in
// rescues.
func NewTreeReport(tree *topology.Tree, parent string, rescues *logs.Rescues) *TreeReport {
	return &TreeReport{tree: tree, name: parent, rescues: rescues}
}

// Reset prepares for a new connection, since the parent may have restarted.
func (r *TreeReport) Reset() { r.acked, r.asked = 0, false }

// Begin starts a report.
func (r *TreeReport) Begin() { r.rest, r.restarted = nil, false }

// Fill adds to a presence report what the parent lacks. alone means that the message is a piece
// followed by others, and must carry nothing else.
func (r *TreeReport) Fill(p *channel.Presence) (alone bool) {
	r.sent = time.Now()
	p.More = wire.NewMap("life", r.tree.Life(), "now", r.sent.UnixNano())
	if len(r.rest) == 0 {
		r.choose(p)
	}
	if len(r.rest) == 0 {
		return false
	}
	p.More.Set("piece", r.rest[0].Map())
	return !r.rest[0].Last
}

// choose selects the contents: nothing, a delta or the whole tree, possibly in pieces.
func (r *TreeReport) choose(p *channel.Presence) {
	r.delta, r.asking = false, false
	if r.acked != 0 && r.acked == r.tree.Revision() {
		r.at = r.acked
		return
	}
	if r.acked != 0 && r.deltas {
		if d, ok := r.tree.Changes(r.acked); ok {
			r.at, r.delta = d.To, true
			if pieces := d.Pieces(); r.pieces && len(pieces) > 1 {
				r.rest = pieces
			} else {
				p.More.Set("delta", d.Map())
			}
			return
		}
	}
	n, at := r.tree.Whole()
	r.at = at
	if pieces := topology.WholeDelta(n, at).Pieces(); len(pieces) > 1 && (r.pieces || !r.asked) {
		if r.asking = !r.asked; r.asking {
			p.More.Set("pieces", true)
		} else {
			r.rest = pieces
		}
		return
	}
	p.Tree = n.Map()
	p.More.Set("revision", at)
}

// Take processes the answer to a report; known means that it came from a mom master. again means
// that another report must follow. It returns [topology.ErrLoop] if the parent is below this node.
func (r *TreeReport) Take(reply *wire.Map, known bool) (again bool, err error) {
	if len(r.rest) > 0 && (!r.rest[0].Last || reply.Has("piece")) {
		return r.next(reply), nil
	}
	r.rest = nil
	r.tree.SetLag(time.Since(r.sent).Round(time.Millisecond))
	above := topology.AncestorsFrom(reply, "above")
	same := len(above) > 0 && above[len(above)-1].Life == r.parentLife
	if len(above) > 0 {
		r.parentLife = above[len(above)-1].Life
	}
	if reply.Bool("loop") {
		above = append(above, topology.Ancestor{ID: r.tree.Self(), Life: r.tree.Life()})
	}
	if err := r.tree.SetAbove(r.name, above); err != nil {
		r.acked = 0
		return false, fmt.Errorf("parent %s: %w", r.name, err)
	}
	have, deltas := reply.Get("tree")
	has, _ := have.(int64)
	r.deltas, r.pieces, r.asked = deltas, reply.Bool("pieces"), true
	if r.asking {
		if deltas {
			r.acked = uint64(max(has, 0)) // it may know this run of the tree
		}
		return known, nil
	}
	// The parent had this revision and lacks it now, on the same connection and in the same run.
	if nothing := r.acked == r.at && r.acked != 0; same && nothing && deltas && uint64(max(has, 0)) != r.at {
		r.rescues.Found("report of presence", "the tree below this node, lost by the parent", 0, "parent", r.name, "revision", r.at, "there", has)
	}
	r.acked = r.at
	if deltas && uint64(max(has, 0)) != r.at {
		again = r.delta
		r.acked = 0
	}
	return again, nil
}

// next moves to the next piece, or restarts once if the parent lacks an earlier one.
func (r *TreeReport) next(reply *wire.Map) (again bool) {
	if held, ok := reply.Get("piece"); ok && held == int64(r.rest[0].N+1) {
		r.rest = r.rest[1:]
		return true
	}
	again, r.restarted = !r.restarted, true
	r.rest, r.acked = nil, 0
	return again
}

// Left records that the parent is not connected.
func (r *TreeReport) Left() { r.tree.LeaveAbove(r.name) }
