package text

import (
	"cmp"
	"slices"
)

// equalBlock is a run of equal lines: n of them, from i in a and from j in b.
type equalBlock struct{ i, j, n int }

// matcher finds what two lists of lines have in common.
type matcher struct {
	a, b  []string
	where map[string][]int // line of b → its places
}

// popularFrom is how many lines b must have for frequent ones to be left out of the
// search, as Python does.
const popularFrom = 200

func newMatcher(a, b []string) *matcher {
	m := &matcher{a: a, b: b, where: make(map[string][]int, len(b))}
	for j, line := range b {
		m.where[line] = append(m.where[line], j)
	}
	if len(b) >= popularFrom {
		limit := len(b)/100 + 1
		for line, places := range m.where {
			if len(places) > limit {
				delete(m.where, line)
			}
		}
	}
	return m
}

// longest is the longest run of equal lines between the bounds; of several the first.
func (m *matcher) longest(alo, ahi, blo, bhi int) equalBlock {
	best := equalBlock{alo, blo, 0}
	lengths := map[int]int{}
	for i := alo; i < ahi; i++ {
		next := map[int]int{}
		for _, j := range m.where[m.a[i]] {
			if j < blo {
				continue
			}
			if j >= bhi {
				break
			}
			k := lengths[j-1] + 1
			next[j] = k
			if k > best.n {
				best = equalBlock{i - k + 1, j - k + 1, k}
			}
		}
		lengths = next
	}
	for best.i > alo && best.j > blo && m.a[best.i-1] == m.b[best.j-1] {
		best = equalBlock{best.i - 1, best.j - 1, best.n + 1}
	}
	for best.i+best.n < ahi && best.j+best.n < bhi && m.a[best.i+best.n] == m.b[best.j+best.n] {
		best.n++
	}
	return best
}

// blocks are all runs of equal lines in order, neighbours joined, and an empty one at
// the end.
func (m *matcher) blocks() []equalBlock {
	var found []equalBlock
	type bounds struct{ alo, ahi, blo, bhi int }
	queue := []bounds{{0, len(m.a), 0, len(m.b)}}
	for len(queue) > 0 {
		q := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		x := m.longest(q.alo, q.ahi, q.blo, q.bhi)
		if x.n == 0 {
			continue
		}
		found = append(found, x)
		if q.alo < x.i && q.blo < x.j {
			queue = append(queue, bounds{q.alo, x.i, q.blo, x.j})
		}
		if x.i+x.n < q.ahi && x.j+x.n < q.bhi {
			queue = append(queue, bounds{x.i + x.n, q.ahi, x.j + x.n, q.bhi})
		}
	}
	slices.SortFunc(found, func(x, y equalBlock) int { return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j)) })
	var out []equalBlock
	var at equalBlock
	for _, x := range found {
		if at.i+at.n == x.i && at.j+at.n == x.j {
			at.n += x.n
			continue
		}
		if at.n > 0 {
			out = append(out, at)
		}
		at = x
	}
	if at.n > 0 {
		out = append(out, at)
	}
	return append(out, equalBlock{len(m.a), len(m.b), 0})
}

// op says how a part of a becomes a part of b.
type op struct {
	kind           byte // '=', '-' (only in a), '+' (only in b), '!' (replaced)
	i1, i2, j1, j2 int
}

func (m *matcher) ops() []op {
	var out []op
	i, j := 0, 0
	for _, x := range m.blocks() {
		switch {
		case i < x.i && j < x.j:
			out = append(out, op{'!', i, x.i, j, x.j})
		case i < x.i:
			out = append(out, op{'-', i, x.i, j, x.j})
		case j < x.j:
			out = append(out, op{'+', i, x.i, j, x.j})
		}
		i, j = x.i+x.n, x.j+x.n
		if x.n > 0 {
			out = append(out, op{'=', x.i, i, x.j, j})
		}
	}
	return out
}

// grouped parts the operations into hunks with n equal lines around each.
func grouped(ops []op, n int) [][]op {
	if len(ops) == 0 {
		return nil
	}
	if f := &ops[0]; f.kind == '=' {
		f.i1, f.j1 = max(f.i1, f.i2-n), max(f.j1, f.j2-n)
	}
	if l := &ops[len(ops)-1]; l.kind == '=' {
		l.i2, l.j2 = min(l.i2, l.i1+n), min(l.j2, l.j1+n)
	}
	var out [][]op
	var group []op
	for _, o := range ops {
		if o.kind == '=' && o.i2-o.i1 > 2*n {
			group = append(group, op{'=', o.i1, min(o.i2, o.i1+n), o.j1, min(o.j2, o.j1+n)})
			out = append(out, group)
			group = nil
			o.i1, o.j1 = max(o.i1, o.i2-n), max(o.j1, o.j2-n)
		}
		group = append(group, o)
	}
	if len(group) > 0 && (len(group) != 1 || group[0].kind != '=') {
		out = append(out, group)
	}
	return out
}
