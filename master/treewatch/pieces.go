package treewatch

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// takePiece handles a piece of a large report. For all but the last piece it returns an answer with
// the number of pieces received, 0 if the node has to start over; the caller must then send that
// answer. The last piece completes a report.
func (r *Reports) takePiece(a presence.Announcement, d *wire.Map) (answer *wire.Map, err error) {
	piece, life := d.Map("piece"), d.String("life")
	if piece == nil {
		if d.Bool("pieces") {
			r.Tree.Expect(a.ID, life)
		}
		return nil, nil
	}
	p, err := topology.PieceFrom(piece)
	if err != nil {
		return nil, fmt.Errorf("tree of node %s: %w", a.ID, err)
	}
	delta, done, err := r.Tree.Gather(a.ID, life, p)
	switch {
	case errors.Is(err, topology.ErrStale):
		return wire.NewMap("node", r.Node, "piece", 0), nil
	case err != nil:
		return nil, fmt.Errorf("tree of node %s: %w", a.ID, err)
	case !done:
		return wire.NewMap("node", r.Node, "piece", p.N+1), nil
	case delta.From != 0:
		err = r.applyDelta(a.ID, life, delta)
	default:
		var n topology.Node
		if n, err = delta.Node(a.ID); err == nil {
			err = r.takeWhole(a, n, life, delta.To)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tree of node %s: %w", a.ID, err)
	}
	return nil, nil
}
