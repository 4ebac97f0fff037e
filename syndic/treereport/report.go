package treereport

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/rescue"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// Report is what one parent knows of the tree below this node, and what is told to it
// next. It is not safe for concurrent use.
type Report struct {
	tree *topology.Tree
	name string // of the parent
	life string // of the parent, as it said last

	rescues *rescue.Counter

	told   uint64 // revision that the parent has; 0: it needs the whole
	deltas bool   // it takes differences
	asked  bool   // whether it takes pieces is known
	pieces bool   // it does

	at    uint64           // of the report under way
	delta bool             // it is a difference
	hello bool             // it only asks what the parent takes
	rest  []topology.Piece // what has to be sent of it, the piece under way first
	anew  bool             // it has begun anew once
	sent  time.Time
}

// New is for a parent that knows nothing. Rescues counts what that one had lost.
func New(tree *topology.Tree, parent string, rescues *rescue.Counter) *Report {
	return &Report{tree: tree, name: parent, rescues: rescues}
}

// Anew tells that the connection is a new one: what the parent knows is to be found out.
func (r *Report) Anew() { r.told, r.asked = 0, false }

// Begin starts a report.
func (r *Report) Begin() { r.rest, r.anew = nil, false }

// Fill adds to a report of presence what the parent does not have yet. alone: the
// message is a piece that others follow, and says nothing else.
func (r *Report) Fill(p *channel.Presence) (alone bool) {
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

// choose decides what is reported: nothing, what has changed, or the whole, and
// whether in pieces.
func (r *Report) choose(p *channel.Presence) {
	r.delta, r.hello = false, false
	if r.told != 0 && r.told == r.tree.Revision() {
		r.at = r.told
		return
	}
	if r.told != 0 && r.deltas {
		if d, ok := r.tree.Changes(r.told); ok {
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
		if r.hello = !r.asked; r.hello {
			p.More.Set("pieces", true)
		} else {
			r.rest = pieces
		}
		return
	}
	p.Tree = n.Map()
	p.More.Set("revision", at)
}

// Take reads the answer to a report; known: of a master of ours. again is set when
// more has to follow. An error says that the parent must not be above this node.
func (r *Report) Take(reply *wire.Map, known bool) (again bool, err error) {
	if len(r.rest) > 0 && (!r.rest[0].Last || reply.Has("piece")) {
		return r.next(reply), nil
	}
	r.rest = nil
	r.tree.SetLag(time.Since(r.sent).Round(time.Millisecond))
	above := topology.AncestorsFrom(reply, "above")
	same := len(above) > 0 && above[len(above)-1].Life == r.life
	if len(above) > 0 {
		r.life = above[len(above)-1].Life
	}
	if reply.Bool("loop") {
		above = append(above, topology.Ancestor{ID: r.tree.Self(), Life: r.tree.Life()})
	}
	if err := r.tree.SetAbove(r.name, above); err != nil {
		r.told = 0
		return false, fmt.Errorf("the master %s: %w", r.name, err)
	}
	have, deltas := reply.Get("tree")
	has, _ := have.(int64)
	r.deltas, r.pieces, r.asked = deltas, reply.Bool("pieces"), true
	if r.hello {
		if deltas {
			r.told = uint64(max(has, 0)) // it may know this life of the tree
		}
		return known, nil
	}
	// Told all and asked again: whatever it lacks now it has lost, with the connection
	// standing.
	if nothing := r.told == r.at && r.told != 0; same && nothing && deltas && uint64(max(has, 0)) != r.at {
		r.rescues.Found("report of presence", "the tree below this node, which the master above has lost", 0, "parent", r.name, "revision", r.at, "there", has)
	}
	r.told = r.at
	if deltas && uint64(max(has, 0)) != r.at {
		again = r.delta
		r.told = 0
	}
	return again, nil
}

// next goes on to the next piece, or begins anew if the parent lacks one before it.
func (r *Report) next(reply *wire.Map) (again bool) {
	if held, ok := reply.Get("piece"); ok && held == int64(r.rest[0].N+1) {
		r.rest = r.rest[1:]
		return true
	}
	again, r.anew = !r.anew, true
	r.rest, r.told = nil, 0
	return again
}

// Left tells that the parent is not above this node now.
func (r *Report) Left() { r.tree.LeaveAbove(r.name) }
