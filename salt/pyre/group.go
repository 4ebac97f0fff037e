package pyre

import (
	"strings"
	"unicode"

	"github.com/momtree/mom/salt/pyfmt"
)

// group parses what follows an opening parenthesis. It returns nil for a group that matches
// nothing, such as a comment or flags of the whole pattern.
func (p *parser) group(flags *int, first bool) (*node, error) {
	inner, name, capture := *flags, "", true
	if p.take('?') {
		capture = false
		switch c := p.get(); {
		case c < 0:
			return nil, p.fault("unexpected end of pattern")
		case c == 'P' && p.take('<'):
			var err error
			if name, err = p.until('>', "group name"); err != nil {
				return nil, err
			}
			if !identifier(name) {
				return nil, p.fault("bad character in group name %q", name)
			}
			capture = true
		case c == 'P' && p.take('='):
			name, err := p.until(')', "group name")
			if err != nil {
				return nil, err
			}
			g, ok := p.names[name]
			if !identifier(name) || !ok {
				return nil, p.fault("unknown group name %q", name)
			}
			return p.reference(g, *flags)
		case c == 'P':
			return nil, p.fault("unknown extension ?P")
		case c == ':':
		case c == '#':
			for p.more() {
				if p.get() == ')' {
					return nil, nil
				}
			}
			return nil, p.fault("missing ), unterminated comment")
		case c == '=' || c == '!' || c == '<':
			return p.look(c, *flags)
		case c == '(':
			return p.condition(flags)
		case c == '>':
			seq, err := p.enclosed(inner)
			return &node{op: opAtomic, subs: [][]*node{seq}}, err
		case c == '-' || letters[c] != 0:
			on, off, whole, err := p.letters(c)
			if err != nil {
				return nil, err
			}
			if whole {
				if !first {
					return nil, p.fault("global flags not at the start of the expression")
				}
				p.flags |= on
				if on&flagX != 0 && *flags&flagX == 0 {
					p.verbose = true
				}
				*flags |= on
				return nil, nil
			}
			if on&types != 0 {
				inner &^= types
			}
			inner = (inner | on) &^ off
		default:
			return nil, p.fault("unknown extension ?%c", c)
		}
	}
	g := 0
	if capture {
		g = p.groups
		if name != "" {
			if _, twice := p.names[name]; twice {
				return nil, p.fault("redefinition of group name %q", name)
			}
			p.names[name] = g
		}
		p.groups++
		p.widths, p.open = append(p.widths, width{}), append(p.open, true)
	}
	seq, err := p.enclosed(inner)
	if err != nil || p.verbose {
		return nil, err
	}
	if capture {
		p.widths[g], p.open[g] = p.widthOf(seq), false
	}
	return &node{op: opGroup, group: g, subs: [][]*node{seq}}, nil
}

// enclosed parses up to and including the closing parenthesis.
func (p *parser) enclosed(flags int) ([]*node, error) {
	seq, err := p.alternatives(flags, false)
	if err == nil && !p.verbose && !p.take(')') {
		err = p.fault("missing ), unterminated subpattern")
	}
	return seq, err
}

// look parses a look-ahead or look-behind.
func (p *parser) look(c rune, flags int) (*node, error) {
	n := &node{op: opLook, behind: c == '<'}
	if n.behind {
		if c = p.get(); c != '=' && c != '!' {
			return nil, p.fault("unknown extension ?<")
		}
		if p.behind == 0 {
			p.behind = p.groups
			defer func() { p.behind = 0 }()
		}
	}
	n.not = c == '!'
	seq, err := p.enclosed(flags)
	if err != nil || p.verbose {
		return nil, err
	}
	if n.behind {
		w := p.widthOf(seq)
		if w.lo != w.hi {
			return nil, p.fault("look-behind requires fixed-width pattern")
		}
		n.back = w.lo
	}
	if n.not && len(seq) == 0 {
		return &node{op: opFail}, nil
	}
	n.subs = [][]*node{seq}
	return n, nil
}

// condition parses (?(1)yes|no).
func (p *parser) condition(flags *int) (*node, error) {
	name, err := p.until(')', "group name")
	if err != nil {
		return nil, err
	}
	var g int
	if identifier(name) {
		var ok bool
		if g, ok = p.names[name]; !ok {
			return nil, p.fault("unknown group name %q", name)
		}
	} else {
		n, ok := pyfmt.Int(name)
		if !ok || n < 0 || n >= 1<<30 {
			return nil, p.fault("bad character in group name %q", name)
		}
		if n == 0 {
			return nil, p.fault("bad group number")
		}
		g = int(n)
		p.conds = append(p.conds, g)
	}
	if err := p.mayRefer(g, false); err != nil {
		return nil, err
	}
	if p.nested++; p.nested > maxNest {
		return nil, p.fault("more than %d levels", maxNest)
	}
	defer func() { p.nested-- }()
	n := &node{op: opCond, group: g}
	for {
		own := *flags
		seq, err := p.sequence(&own, false)
		if err != nil || p.verbose {
			return nil, err
		}
		if n.subs = append(n.subs, seq); !p.take('|') {
			break
		}
		if len(n.subs) == 2 {
			return nil, p.fault("conditional backref with more than two branches")
		}
	}
	if !p.take(')') {
		return nil, p.fault("missing ), unterminated subpattern")
	}
	return n, nil
}

// mayRefer returns an error if a group may not be referenced here.
func (p *parser) mayRefer(g int, text bool) error {
	if text && g < p.groups && p.open[g] {
		return p.fault("cannot refer to an open group")
	}
	if p.behind == 0 {
		return nil
	}
	if g < p.groups && p.open[g] {
		return p.fault("cannot refer to an open group")
	}
	if g >= p.behind {
		return p.fault("cannot refer to group defined in the same lookbehind subpattern")
	}
	return nil
}

func (p *parser) reference(g, flags int) (*node, error) {
	return &node{op: opBackref, group: g, fold: flags&flagI != 0, ascii: flags&flagA != 0}, p.mayRefer(g, true)
}

var letters = map[rune]int{'i': flagI, 'L': flagL, 'm': flagM, 's': flagS, 'x': flagX, 'a': flagA, 'u': flagU, 't': flagT}

// letters parses flags, given the first one: (?i) is for the whole pattern, (?i:...) for a
// part.
func (p *parser) letters(c rune) (on, off int, whole bool, err error) {
	if c != '-' {
		for {
			f := letters[c]
			if f == flagL {
				return 0, 0, false, p.fault("bad inline flags: cannot use 'L' flag with a str pattern")
			}
			if on |= f; f&types != 0 && on&types != f {
				return 0, 0, false, p.fault("bad inline flags: flags 'a', 'u' and 'L' are incompatible")
			}
			if c = p.get(); c == ')' || c == ':' || c == '-' {
				break
			}
			if letters[c] == 0 {
				return 0, 0, false, p.fault("unknown flag or missing -, : or )")
			}
		}
	}
	if c == ')' {
		return on, 0, true, nil
	}
	if on&flagT != 0 {
		return 0, 0, false, p.fault("bad inline flags: cannot turn on global flag")
	}
	if c == '-' {
		if c = p.get(); letters[c] == 0 {
			return 0, 0, false, p.fault("missing flag")
		}
		for {
			f := letters[c]
			if f&types != 0 {
				return 0, 0, false, p.fault("bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
			}
			off |= f
			if c = p.get(); c == ':' {
				break
			}
			if letters[c] == 0 {
				return 0, 0, false, p.fault("unknown flag or missing :")
			}
		}
	}
	switch {
	case off&flagT != 0:
		return 0, 0, false, p.fault("bad inline flags: cannot turn off global flag")
	case on&off != 0:
		return 0, 0, false, p.fault("bad inline flags: flag turned on and off")
	}
	return on, off, false, nil
}

// identifier reports whether a text is a valid name in Python.
func identifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		if letter || i > 0 && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue) {
			continue
		}
		return false
	}
	return s != "" && !strings.ContainsRune(s, unicode.ReplacementChar)
}
