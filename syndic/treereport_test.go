package syndic

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func crowded(n *node, crowd int) {
	for i := range crowd {
		n.local.tree.SetMinion(topology.Minion{ID: fmt.Sprintf("web-%05d", i), State: topology.Up, Version: "1.0"})
	}
}

// has returns the number of minions the parent knows below the node.
func (a *upper) has() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, _ := a.tree.Node("syn-a")
	return len(n.Minions)
}

// A node with 50,000 minions reports them in pieces to a parent that supports them, whichever piece
// is lost, and in one message to an older one. Large deltas go in pieces, small ones in one
// message.
func TestLargeTreeGoesInPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		crowd  int
		old    bool
		lose   int
		pieces int // of the first report; the node is an entry too
	}{
		{name: "in pieces", crowd: 50_000, pieces: 26},
		{name: "to a parent that forgets all in the middle", crowd: 10_000, lose: 3, pieces: 6 + 3},
		{name: "to a parent that forgets all before the last", crowd: 10_000, lose: 6, pieces: 6 + 6},
		{name: "to an older parent", crowd: 10_000, old: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAbove()
			a.old, a.lose = c.old, c.lose
			p := a.serve(t)
			n := plant(t, nil, p)
			n.pace.Answer = patience
			crowded(n, c.crowd)
			n.run(t)
			waiting.Until(t, "all minions", func() bool { return a.has() == c.crowd })
			n.awaitUp(t)
			a.set(func() {
				if a.pieces != c.pieces || a.wholes != 1 {
					t.Errorf("%d pieces, %d whole reports; want %d and one", a.pieces, a.wholes, c.pieces)
				}
				a.pieces, a.lose = 0, 0
			})
			for _, m := range p.Seen("_presence") {
				if b, err := wire.Encode(m); !c.old && (err != nil || len(b) > topology.PieceBytes+4<<10) {
					t.Errorf("a message of %d bytes, %v", len(b), err)
				}
			}
			n.local.tree.SetMinion(topology.Minion{ID: "web-00001", State: topology.Down, Version: "1.0"})
			waiting.Until(t, "the change", func() bool { return a.minion("web-00001") == topology.Down })
			a.set(func() {
				if a.pieces != 0 || a.wholes != 1 {
					t.Errorf("small delta: %d pieces, %d whole reports", a.pieces, a.wholes)
				}
			})
			// After a reconnect the parent still has everything, and says so.
			p.Down()
			waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[0].IsUp() })
			for i := range 3 * topology.PieceEntries {
				n.local.tree.Remove(fmt.Sprintf("web-%05d", i))
			}
			p.Up()
			waiting.Until(t, "the difference", func() bool { return a.has() == c.crowd-3*topology.PieceEntries })
			a.set(func() {
				switch {
				case c.old: // gets the same on every connect
				case a.wholes != 1 || a.pieces < 3:
					t.Errorf("large delta: %d pieces, %d whole reports", a.pieces, a.wholes)
				}
			})
		})
	}
}
