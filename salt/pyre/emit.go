package pyre

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// emitter writes a tree in Go's syntax. Groups do not capture, since captures are not
// needed.
type emitter struct {
	out strings.Builder
	// newline, word and empty are set if the pattern tests something that Go reads
	// differently: a final newline, words beyond ASCII, or boundaries in an empty text.
	newline, word, empty bool
	irregular            bool // Go's engine cannot run the pattern
}

// maxExpression is the longest expression passed to Go's engine, in bytes.
const maxExpression = 256 << 10

func (e *emitter) sequence(seq []*node) {
	for _, n := range seq {
		if e.irregular || e.out.Len() > maxExpression {
			e.irregular = true
			return
		}
		e.node(n)
	}
}

func (e *emitter) node(n *node) {
	switch n.op {
	case opSet:
		e.set(n.set)
	case opAt:
		e.at(n)
	case opBranch, opGroup:
		e.out.WriteString("(?:")
		for i, seq := range n.subs {
			if i > 0 {
				e.out.WriteByte('|')
			}
			e.sequence(seq)
		}
		e.out.WriteByte(')')
	case opRepeat:
		e.repeat(n)
	case opFail:
		e.out.WriteString(nothing)
	default:
		e.irregular = true
	}
}

// nothing is a class that matches no character.
const nothing = `[^\x00-\x{10FFFF}]`

func (e *emitter) at(n *node) {
	switch n.at {
	case atStart:
		e.out.WriteString(`\A`)
	case atLineStart:
		e.out.WriteString(`(?m:^)`)
	case atEnd:
		e.out.WriteString(`\z`)
	case atLast:
		e.newline = true
		e.out.WriteString(`\z`)
	case atLineEnd:
		e.out.WriteString(`(?m:$)`)
	default:
		e.empty, e.word = true, e.word || !n.ascii
		e.out.WriteString(map[at]string{atBoundary: `\b`, atInside: `\B`}[n.at])
	}
}

func (e *emitter) repeat(n *node) {
	if n.greed == possessive {
		e.irregular = true
		return
	}
	e.out.WriteString("(?:")
	e.sequence(n.subs[0])
	e.out.WriteByte(')')
	switch {
	case n.min == 0 && n.max == infinite:
		e.out.WriteByte('*')
	case n.min == 1 && n.max == infinite:
		e.out.WriteByte('+')
	case n.max == infinite:
		fmt.Fprintf(&e.out, "{%d,}", n.min)
	default:
		fmt.Fprintf(&e.out, "{%d,%d}", n.min, n.max)
	}
}

func (e *emitter) set(c *class) {
	ranges := slices.Clone(c.ranges)
	for _, k := range c.kinds {
		ranges = append(ranges, k.ranges()...)
	}
	if c.fold != foldNone {
		for _, r := range c.ranges {
			for _, l := range casedIn(r[0], r[1]) {
				for _, u := range uppers()[l.r] {
					if c.fold == foldUnicode || u <= unicode.MaxASCII {
						ranges = append(ranges, [2]rune{u, u})
					}
				}
			}
		}
	}
	switch {
	case len(ranges) == 0 && c.not:
		e.out.WriteString(`(?s:.)`)
		return
	case len(ranges) == 0:
		e.out.WriteString(nothing)
		return
	}
	e.out.WriteByte('[')
	if c.not {
		e.out.WriteByte('^')
	}
	for _, r := range ranges {
		lo, hi := r[0], r[1]
		if lo >= 0xd800 && hi <= 0xdfff { // a surrogate, which no text contains
			lo, hi = 0xd800, 0xdfff
		}
		e.out.WriteString(`\x{` + strconv.FormatInt(int64(lo), 16) + `}`)
		if hi != lo {
			e.out.WriteString(`-\x{` + strconv.FormatInt(int64(hi), 16) + `}`)
		}
	}
	e.out.WriteByte(']')
}

// ranges returns the characters of a category. They are computed once.
func (k category) ranges() [][2]rune {
	v, _ := categories.LoadOrStore(k, sync.OnceValue(func() (out [][2]rune) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if !k.has(r) {
				continue
			}
			if n := len(out); n > 0 && out[n-1][1] == r-1 {
				out[n-1][1] = r
			} else {
				out = append(out, [2]rune{r, r})
			}
		}
		return out
	}))
	return v.(func() [][2]rune)()
}

var categories sync.Map // by category: its ranges
