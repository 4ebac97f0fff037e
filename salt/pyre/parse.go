package pyre

import (
	"fmt"
	"strings"
)

// maxNest is the deepest nesting of groups.
const maxNest = 200

// Flags of a pattern, by the letters that set them.
const (
	flagI = 1 << iota
	flagL
	flagM
	flagS
	flagX
	flagA
	flagU
	flagT
)

// types are the mutually exclusive flags.
const types = flagA | flagL | flagU

// parser parses a pattern. Text is the remaining part.
type parser struct {
	text    []rune
	pos     int
	flags   int
	names   map[string]int
	groups  int // number of groups, with the whole pattern as 0
	widths  []width
	open    []bool
	conds   []int // groups that conditions refer to
	behind  int   // number of groups at the outermost open look-behind; 0: none is open
	nested  int
	verbose bool // the pattern sets x but was parsed without it: parse it again
}

// fault returns an error at a position, counted in characters.
func (p *parser) fault(format string, args ...any) error {
	return fmt.Errorf("%s at character %d", fmt.Sprintf(format, args...), min(p.pos, len(p.text))+1)
}

func (p *parser) more() bool { return p.pos < len(p.text) }

// next returns the next character without consuming it, -1 at the end.
func (p *parser) next() rune {
	if !p.more() {
		return -1
	}
	return p.text[p.pos]
}

// take consumes the next character if it is r.
func (p *parser) take(r rune) bool {
	if p.next() != r {
		return false
	}
	p.pos++
	return true
}

// get consumes the next character, -1 at the end.
func (p *parser) get() rune {
	r := p.next()
	if r >= 0 {
		p.pos++
	}
	return r
}

// until consumes the text up to and including end, and returns the part before it.
func (p *parser) until(end rune, what string) (string, error) {
	from := p.pos
	for p.more() {
		if p.get() != end {
			continue
		}
		if p.pos-1 == from {
			return "", p.fault("missing %s", what)
		}
		return string(p.text[from : p.pos-1]), nil
	}
	if from == p.pos {
		return "", p.fault("missing %s", what)
	}
	return "", p.fault("missing %c, unterminated name", end)
}

// parse parses a whole pattern.
func parse(pattern string) ([]*node, *parser, error) {
	p := &parser{text: []rune(pattern)}
	tree, err := p.whole()
	if err == nil && p.verbose {
		p = &parser{text: p.text, flags: flagX}
		tree, err = p.whole()
	}
	return tree, p, err
}

func (p *parser) whole() ([]*node, error) {
	p.names, p.groups, p.widths, p.open = map[string]int{}, 1, []width{{}}, []bool{false}
	tree, err := p.alternatives(p.flags, true)
	switch {
	case err != nil || p.verbose:
		return nil, err
	case p.more():
		return nil, p.fault("unbalanced parenthesis")
	case p.flags&flagA != 0 && p.flags&flagU != 0:
		return nil, p.fault("ASCII and UNICODE flags are incompatible")
	}
	for _, g := range p.conds {
		if g >= p.groups {
			return nil, p.fault("invalid group reference %d", g)
		}
	}
	return tree, nil
}

// alternatives parses the text between parentheses, or the whole pattern. Flags set by (?i)
// at the start of the pattern apply to the rest.
func (p *parser) alternatives(flags int, top bool) ([]*node, error) {
	if p.nested++; p.nested > maxNest {
		return nil, p.fault("more than %d levels", maxNest)
	}
	defer func() { p.nested-- }()
	var all [][]*node
	for first := true; ; first = false {
		seq, err := p.sequence(&flags, top && first)
		if err != nil || p.verbose {
			return nil, err
		}
		if all = append(all, seq); !p.take('|') {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return []*node{{op: opBranch, subs: all}}, nil
}

// sequence parses up to |, ) or the end.
func (p *parser) sequence(flags *int, first bool) ([]*node, error) {
	var out []*node
	for p.more() && p.next() != '|' && p.next() != ')' {
		r := p.get()
		if *flags&flagX != 0 {
			if strings.ContainsRune(" \t\n\r\v\f", r) {
				continue
			}
			if r == '#' {
				for p.more() && p.get() != '\n' {
				}
				continue
			}
		}
		var n *node
		var err error
		switch r {
		case '\\':
			n, err = p.escape(*flags)
		case '[':
			n, err = p.class(*flags)
		case '*', '+', '?', '{':
			var done bool
			if out, done, err = p.repeat(r, out); done {
				n = literal(r, *flags)
			}
		case '.':
			n = &node{op: opSet, set: &class{not: true, ranges: [][2]rune{{'\n', '\n'}}}}
			if *flags&flagS != 0 {
				n.set = &class{not: true}
			}
		case '^':
			n = &node{op: opAt, at: atStart}
			if *flags&flagM != 0 {
				n.at = atLineStart
			}
		case '$':
			n = &node{op: opAt, at: atLast}
			if *flags&flagM != 0 {
				n.at = atLineEnd
			}
		case '(':
			n, err = p.group(flags, first && len(out) == 0)
		default:
			n = literal(r, *flags)
		}
		if err != nil || p.verbose {
			return nil, err
		}
		if n != nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// repeat parses a repetition after an item. isText is true for a brace that is a literal.
func (p *parser) repeat(r rune, out []*node) (_ []*node, isText bool, err error) {
	lo, hi := 0, infinite
	switch r {
	case '?':
		hi = 1
	case '+':
		lo = 1
	case '{':
		if p.next() == '}' {
			return out, true, nil
		}
		here := p.pos
		from := p.digits()
		//mutant:hostile-target-brace-2,target-pcre-brace
		to := from
		if p.take(',') {
			to = p.digits()
		}
		if !p.take('}') {
			p.pos = here
			return out, true, nil
		}
		if from != "" {
			if lo, err = p.count(from); err != nil {
				return out, false, err
			}
		}
		if to != "" {
			if hi, err = p.count(to); err != nil {
				return out, false, err
			}
			if hi < lo {
				return out, false, p.fault("min repeat greater than max repeat")
			}
		}
	}
	if len(out) == 0 || out[len(out)-1].op == opAt {
		return out, false, p.fault("nothing to repeat")
	}
	item := out[len(out)-1]
	if item.op == opRepeat {
		return out, false, p.fault("multiple repeat")
	}
	n := &node{op: opRepeat, min: lo, max: hi, subs: [][]*node{{item}}}
	switch {
	case p.take('?'):
		n.greed = lazy
	case p.take('+'):
		if item.op != opSet { // Python 3.11.2 and 3.11.5 read it differently, 3.10 rejects it
			return out, false, p.fault("the possessive repetition of a group is not supported")
		}
		n.greed = possessive
	}
	out[len(out)-1] = n
	return out, false, nil
}

func (p *parser) digits() string {
	from := p.pos
	for p.next() >= '0' && p.next() <= '9' {
		p.pos++
	}
	return string(p.text[from:p.pos])
}

func (p *parser) count(digits string) (int, error) {
	n := 0
	for _, d := range digits {
		if n = n*10 + int(d-'0'); n >= infinite {
			return 0, p.fault("the repetition number is too large")
		}
	}
	return n, nil
}
