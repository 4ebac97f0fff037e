package pyre

import "slices"

// Bounds on one match by backtracking.
const (
	maxSteps = 1 << 18
	maxDepth = 10_000
)

// machine matches a tree at the start of a text.
type machine struct {
	text  []rune
	marks []int // start and end of each group; -1: not set
	left  int   // remaining steps
	depth int
	spent bool // a limit was reached: the result is unknown
}

func newMachine(text string, groups int) *machine {
	m := &machine{text: []rune(text), marks: make([]int, 2*groups), left: maxSteps}
	for i := range m.marks {
		m.marks[i] = -1
	}
	return m
}

// rest matches what follows a part that ends at i.
type rest func(i int) bool

func matched(int) bool { return true }

// sequence matches a sequence at i, followed by the rest.
func (m *machine) sequence(seq []*node, i int, then rest) bool {
	if m.depth++; m.depth > maxDepth {
		m.spent = true
	}
	m.charge(1)
	defer func() { m.depth-- }()
	for ; len(seq) > 0; seq = seq[1:] {
		if m.charge(1); m.spent {
			return false
		}
		switch n := seq[0]; n.op {
		case opSet:
			m.charge(len(n.set.ranges) / 8)
			if i >= len(m.text) || !n.set.has(m.text[i]) {
				return false
			}
			i++
		case opAt:
			if !m.at(n, i) {
				return false
			}
		case opBackref:
			length, ok := m.backref(n, i)
			if !ok {
				return false
			}
			i += length
		default:
			return m.node(n, i, seq[1:], then)
		}
	}
	return then(i)
}

// charge subtracts steps, and ends the match when none are left.
func (m *machine) charge(steps int) {
	if m.left -= steps; m.left < 0 {
		m.spent = true
	}
}

// saved returns a copy of the marks.
func (m *machine) saved() []int {
	m.charge(len(m.marks) / 8)
	return slices.Clone(m.marks)
}

// node matches one part that can match in several ways, and what follows.
func (m *machine) node(n *node, i int, seq []*node, then rest) bool {
	after := func(j int) bool { return m.sequence(seq, j, then) }
	switch n.op {
	case opBranch:
		return slices.ContainsFunc(n.subs, func(alternative []*node) bool { return m.sequence(alternative, i, after) })
	case opGroup:
		if n.group == 0 {
			return m.sequence(n.subs[0], i, after)
		}
		return m.group(n, i, after)
	case opRepeat:
		return m.repeat(n, i, after)
	case opCond:
		switch {
		case m.isSet(n.group):
			return m.sequence(n.subs[0], i, after)
		case len(n.subs) == 2:
			return m.sequence(n.subs[1], i, after)
		}
		return after(i)
	case opLook:
		return m.look(n, i, after)
	case opAtomic:
		marks := m.saved()
		if end, ok := m.once(n.subs[0], i); ok && after(end) {
			return true
		}
		m.marks = marks
	}
	return false
}

func (m *machine) group(n *node, i int, after rest) bool {
	start, end := m.marks[2*n.group], m.marks[2*n.group+1]
	m.marks[2*n.group] = i
	if m.sequence(n.subs[0], i, func(j int) bool {
		before := m.marks[2*n.group+1]
		m.marks[2*n.group+1] = j
		if after(j) {
			return true
		}
		m.marks[2*n.group+1] = before
		return false
	}) {
		return true
	}
	m.marks[2*n.group], m.marks[2*n.group+1] = start, end
	return false
}

func (m *machine) isSet(g int) bool {
	return m.marks[2*g] >= 0 && m.marks[2*g+1] >= m.marks[2*g]
}

// once matches a sequence in the first possible way, without backtracking into it.
func (m *machine) once(seq []*node, i int) (end int, ok bool) {
	ok = m.sequence(seq, i, func(j int) bool { end = j; return true })
	return end, ok && !m.spent
}

func (m *machine) look(n *node, i int, after rest) bool {
	marks := m.saved()
	found := i >= n.back && m.sequence(n.subs[0], i-n.back, matched)
	if m.spent {
		return false
	}
	if n.not {
		m.marks = slices.Clone(marks)
	}
	if found != n.not && after(i) {
		return true
	}
	m.marks = marks
	return false
}

func (m *machine) backref(n *node, i int) (length int, ok bool) {
	if !m.isSet(n.group) {
		return 0, false
	}
	text := m.text[m.marks[2*n.group]:m.marks[2*n.group+1]]
	if m.charge(len(text)); len(m.text)-i < len(text) {
		return 0, false
	}
	fold := foldNone
	switch {
	case n.fold && n.ascii:
		fold = foldASCII
	case n.fold:
		fold = foldUnicode
	}
	for k, r := range text {
		if fold.lower(r) != fold.lower(m.text[i+k]) {
			return 0, false
		}
	}
	return len(text), true
}

func (m *machine) at(n *node, i int) bool {
	end := len(m.text)
	switch n.at {
	case atStart:
		return i == 0
	case atLineStart:
		return i == 0 || m.text[i-1] == '\n'
	case atEnd:
		return i == end
	case atLast:
		return i == end || i == end-1 && m.text[i] == '\n'
	case atLineEnd:
		return i == end || m.text[i] == '\n'
	}
	if end == 0 {
		return false
	}
	word := category{letter: 'w', ascii: n.ascii}
	before, here := i > 0 && word.has(m.text[i-1]), i < end && word.has(m.text[i])
	return (before != here) == (n.at == atBoundary)
}
