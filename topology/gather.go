package topology

import "fmt"

// gathering is a report received in pieces and not yet complete.
type gathering struct {
	life     string
	from, to uint64
	next     int // number of the next piece
	entries  int
	parts    []Part
}

// Expect records that a child will report its tree in pieces. If its tree in this life is unknown,
// the child counts as blind until then.
func (t *Tree) Expect(id, life string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, known := t.nodes[id]
	if known && t.have[id].life != life && !n.Blind {
		n.Blind = true
		t.enter(n, true)
	}
}

// Gather adds a piece of a child's report. done means that it was the last one, and d is the
// report, which is not applied yet. ErrStale means that the piece does not continue the previous
// ones: the child must start over.
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
