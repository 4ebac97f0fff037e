package topology

import "fmt"

// gathering is a report of which some pieces have come.
type gathering struct {
	life     string
	from, to uint64
	next     int // the piece that has to follow
	entries  int
	parts    []Part
}

// Expect notes that a node right below, whose tree as it is in this life is not
// known here, will report it in pieces: until then what is known of it counts as
// nothing known.
func (t *Tree) Expect(id, life string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.nodes[id]
	if known && t.have[id].life != life && !n.Blind {
		n.Blind = true
		t.enter(n, true)
	}
}

// Gather takes a piece of what a node right below reports in this life. done: it
// was the last one, and d is the report, not entered yet. ErrStale: it does not
// continue what is here, and the node has to begin anew.
func (t *Tree) Gather(id, life string, p Piece) (d Delta, done bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.pieces[id]
	if p.N == 0 {
		g = &gathering{life: life, from: p.From, to: p.To}
		if p.From != 0 && t.have[id] != (revision{life, p.From}) {
			g = nil
		}
	}
	delete(t.pieces, id)
	if g == nil || life == "" || g.life != life || g.from != p.From || g.to != p.To || g.next != p.N {
		return Delta{}, false, ErrStale
	}
	g.next++
	if g.entries += p.entries(); g.entries > maxMinions {
		return Delta{}, false, fmt.Errorf("report in pieces: more than %d entries", maxMinions)
	}
	for _, part := range p.Parts {
		g.parts = mergePart(g.parts, part)
	}
	if p.Last {
		return Delta{From: g.from, To: g.to, Parts: g.parts}, true, nil
	}
	t.pieces[id] = g
	return Delta{}, false, nil
}
