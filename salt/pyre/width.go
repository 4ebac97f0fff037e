package pyre

// width is the number of characters that a part can match.
type width struct{ lo, hi int }

// maxWidth stands for any larger width.
const maxWidth = 1 << 62

func (p *parser) widthOf(seq []*node) width {
	var w width
	for _, n := range seq {
		x := p.widthOfNode(n)
		w.lo, w.hi = min(w.lo+x.lo, maxWidth/2), min(w.hi+x.hi, maxWidth/2)
	}
	return width{w.lo, w.hi}
}

func (p *parser) widthOfNode(n *node) width {
	switch n.op {
	case opSet:
		return width{1, 1}
	case opBranch:
		return p.either(n.subs)
	case opGroup, opAtomic:
		return p.widthOf(n.subs[0])
	case opRepeat:
		x := p.widthOf(n.subs[0])
		out := width{times(x.lo, n.min), times(x.hi, n.max)}
		if n.max == infinite && x.hi > 0 {
			out.hi = maxWidth / 2
		}
		return out
	case opBackref:
		return p.widths[n.group]
	case opCond:
		x := p.either(n.subs)
		if len(n.subs) == 1 {
			x.lo = 0
		}
		return x
	}
	return width{}
}

func (p *parser) either(alternatives [][]*node) width {
	out := width{lo: maxWidth / 2}
	for _, seq := range alternatives {
		x := p.widthOf(seq)
		out = width{min(out.lo, x.lo), max(out.hi, x.hi)}
	}
	return out
}

// times multiplies without overflow.
func times(a, b int) int {
	if a != 0 && b > maxWidth/2/a {
		return maxWidth / 2
	}
	return a * b
}
