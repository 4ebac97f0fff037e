package topology

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/value"
)

const (
	// PieceEntries bounds the entries of one piece of an outgoing report.
	PieceEntries = 2000
	// PieceBytes bounds its size in bytes; a larger single entry passes.
	PieceBytes = 256 << 10
	// maxPieceEntries bounds one incoming piece: other versions may cut differently.
	maxPieceEntries = 1 << 16
	// Approximate size of an entry on the wire, without its texts.
	minionBytes, nodeBytes = 8, 300
)

// Piece is a part of a report that is too large for one message. A report takes effect when all its
// pieces have arrived.
type Piece struct {
	Delta      // From 0: of the whole tree
	N     int  // its number, from 0
	Last  bool // last piece
}

// WholeDelta returns the whole tree as a delta from nothing.
func WholeDelta(n Node, at uint64) Delta {
	head := n
	head.Minions, head.Nodes, head.Heard = nil, nil, nil
	return Delta{To: at, Parts: []Part{{Head: &head, Vitals: &n.Vitals, Minions: n.Minions, Nodes: n.Nodes}}}
}

// Node returns the node that a delta from nothing describes.
func (d Delta) Node(id string) (Node, error) {
	if d.From != 0 {
		return Node{}, ErrStale
	}
	return Node{ID: id}.apply(d)
}

// Large reports whether a delta needs several pieces.
func (d Delta) Large() bool { return len(d.Pieces()) > 1 }

// Pieces splits a delta. The pieces share its lists.
func (d Delta) Pieces() []Piece {
	c := cutter{pieces: make([][]Part, 1)}
	for _, p := range d.Parts {
		c.part(p)
	}
	out := make([]Piece, len(c.pieces))
	for i, parts := range c.pieces {
		out[i] = Piece{Delta: Delta{From: d.From, To: d.To, Parts: parts}, N: i, Last: i == len(out)-1}
	}
	return out
}

// cutter fills pieces one after the other.
type cutter struct {
	pieces         [][]Part
	entries, bytes int // of the last piece
}

// take reserves room in the last piece and reports whether there is enough.
func (c *cutter) take(entries, bytes int) bool {
	if c.entries > 0 && (c.entries+entries > PieceEntries || c.bytes+bytes > PieceBytes) {
		return false
	}
	c.entries, c.bytes = c.entries+entries, c.bytes+bytes
	return true
}

func (c *cutter) next() { c.pieces, c.entries, c.bytes = append(c.pieces, nil), 0, 0 }

// put adds a part for which take has reserved room.
func (c *cutter) put(p Part) {
	last := &c.pieces[len(c.pieces)-1]
	*last = mergePart(*last, p)
}

func (c *cutter) part(p Part) {
	if p.Head != nil || p.Vitals != nil {
		for !c.take(1, nodeBytes) {
			c.next()
		}
		c.put(Part{Path: p.Path, Head: p.Head, Vitals: p.Vitals})
	}
	c.list(len(p.Left), func(i int) int { return len(p.Left[i]) }, func(i, j int) { c.put(Part{Path: p.Path, Left: p.Left[i:j]}) })
	c.list(len(p.Gone), func(i int) int { return len(p.Gone[i]) }, func(i, j int) { c.put(Part{Path: p.Path, Gone: p.Gone[i:j]}) })
	c.list(len(p.Minions), func(i int) int { return minionSize(p.Minions[i]) }, func(i, j int) { c.put(Part{Path: p.Path, Minions: p.Minions[i:j]}) })
	for _, n := range p.Nodes {
		c.child(p.Path, n)
	}
}

// list adds n entries in runs that fit.
func (c *cutter) list(n int, size func(int) int, put func(i, j int)) {
	for i := 0; i < n; {
		j := i
		for j < n && c.take(1, size(j)) {
			j++
		}
		if j > i {
			put(i, j)
		}
		if i = j; i < n {
			c.next()
		}
	}
}

// child adds a new node: whole if it fits into one piece, otherwise the bare node first and its
// contents after it.
func (c *cutter) child(path string, n Node) {
	entries, bytes := n.weight()
	if entries <= PieceEntries && bytes <= PieceBytes {
		for !c.take(entries, bytes) {
			c.next()
		}
		c.put(Part{Path: path, Nodes: []Node{n}})
		return
	}
	bare := n
	bare.Minions, bare.Nodes = nil, nil
	for !c.take(1, nodeBytes) {
		c.next()
	}
	c.put(Part{Path: path, Nodes: []Node{bare}})
	c.part(Part{Path: join(path, n.ID), Minions: n.Minions, Nodes: n.Nodes})
}

func minionSize(m Minion) int { return len(m.ID) + len(m.Version) + minionBytes }

// weight returns the entries and bytes of a subtree.
func (n Node) weight() (entries, bytes int) {
	entries, bytes = 1+len(n.Minions), nodeBytes
	for _, m := range n.Minions {
		bytes += minionSize(m)
	}
	for _, c := range n.Nodes {
		e, b := c.weight()
		entries, bytes = entries+e, bytes+b
	}
	return entries, bytes
}

// mergePart appends a part, or merges it into the last one of the same node.
func mergePart(parts []Part, p Part) []Part {
	if len(parts) == 0 || parts[len(parts)-1].Path != p.Path {
		return append(parts, p)
	}
	last := &parts[len(parts)-1]
	if p.Head != nil {
		last.Head = p.Head
	}
	if p.Vitals != nil {
		last.Vitals = p.Vitals
	}
	last.Minions = concat(last.Minions, p.Minions)
	last.Gone = concat(last.Gone, p.Gone)
	last.Nodes = concat(last.Nodes, p.Nodes)
	last.Left = concat(last.Left, p.Left)
	return parts
}

// concat appends b to a. It never writes to an array that others share.
func concat[T any](a, b []T) []T {
	if len(a) == 0 {
		return b[:len(b):len(b)]
	}
	return append(a, b...)
}

// Map encodes the piece for a report to a parent.
func (p Piece) Map() *value.Map {
	m := p.Delta.Map()
	m.Set("n", p.N)
	m.Set("last", p.Last)
	return m
}

// PieceFrom decodes what [Piece.Map] encoded.
func PieceFrom(m *value.Map) (p Piece, err error) {
	if p.Delta, err = DeltaFrom(m); err != nil {
		return p, err
	}
	n, _ := m.Get("n")
	at, ok := n.(int64)
	if !ok || at < 0 || at > maxMinions {
		return p, errors.New("piece of a report: invalid number")
	}
	p.N, p.Last = int(at), m.Bool("last")
	if e := p.entries(); e > maxPieceEntries {
		return p, fmt.Errorf("piece of a report: %d entries, limit is %d", e, maxPieceEntries)
	}
	return p, nil
}

// entries returns the number of minions and nodes in a piece.
func (p Piece) entries() int {
	n := 0
	for _, part := range p.Parts {
		n += 1 + len(part.Minions) + len(part.Gone) + len(part.Left)
		for _, c := range part.Nodes {
			e, _ := c.weight()
			n += e
		}
	}
	return n
}
