package pyre

import "unicode"

// category is \d, \s or \w, or a negation of one.
type category struct {
	letter rune // d, s or w
	not    bool
	ascii  bool
}

// categoryOf returns the category of an escape.
func categoryOf(c rune, flags int) (category, bool) {
	k := category{letter: unicode.ToLower(c), not: c < 'a', ascii: flags&flagA != 0}
	return k, k.letter == 'd' || k.letter == 's' || k.letter == 'w'
}

func (k category) has(r rune) bool {
	var in bool
	switch {
	case k.ascii && r > unicode.MaxASCII:
	case k.letter == 'd':
		in = unicode.Is(unicode.Nd, r)
	case k.letter == 's':
		in = unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f && !k.ascii
	default:
		in = isWord(r)
	}
	return in != k.not
}

func isWord(r rune) bool {
	if r <= unicode.MaxASCII {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.N)
}

// class is a set of characters.
type class struct {
	ranges [][2]rune
	kinds  []category
	not    bool
	fold   folding // compares the lower case of a character; ranges are closed under it
}

func (c *class) has(r rune) bool {
	r = c.fold.lower(r)
	for _, x := range c.ranges {
		if x[0] <= r && r <= x[1] {
			return !c.not
		}
	}
	for _, k := range c.kinds {
		if k.has(r) {
			return !c.not
		}
	}
	return c.not
}

// literal returns a node that matches one character.
func literal(r rune, flags int) *node {
	c := &class{}
	c.add(r, r, foldingOf(flags))
	return &node{op: opSet, set: c}
}

func (c *class) add(lo, hi rune, f folding) {
	c.fold = f
	c.ranges = append(c.ranges, [2]rune{lo, hi})
	if f != foldNone {
		c.ranges = append(c.ranges, f.closure(lo, hi)...)
	}
}

// class parses a class after its opening bracket.
func (p *parser) class(flags int) (*node, error) {
	c := &class{not: p.take('^')}
	fold := foldingOf(flags)
	for first := true; ; first = false {
		r := p.get()
		if r < 0 {
			return nil, p.fault("unterminated character set")
		}
		if r == ']' && !first {
			break
		}
		lo, kind, err := p.member(r, flags)
		if err != nil {
			return nil, err
		}
		if !p.take('-') {
			c.put(lo, lo, kind, fold)
			continue
		}
		r = p.get()
		if r < 0 {
			return nil, p.fault("unterminated character set")
		}
		if r == ']' {
			c.put(lo, lo, kind, fold)
			c.add('-', '-', fold)
			break
		}
		hi, other, err := p.member(r, flags)
		if err != nil {
			return nil, err
		}
		if kind != nil || other != nil || hi < lo {
			return nil, p.fault("bad character range")
		}
		c.put(lo, hi, nil, fold)
	}
	return &node{op: opSet, set: c}, nil
}

func (c *class) put(lo, hi rune, k *category, f folding) {
	if c.fold = f; k != nil {
		c.kinds = append(c.kinds, *k)
		return
	}
	c.add(lo, hi, f)
}

// member parses a character of a class, or a category.
func (p *parser) member(r rune, flags int) (rune, *category, error) {
	if r != '\\' {
		return r, nil, nil
	}
	c := p.get()
	if c < 0 {
		return 0, nil, p.fault("bad escape (end of pattern)")
	}
	if k, ok := categoryOf(c, flags); ok {
		return 0, &k, nil
	}
	r, err := p.character(c, 2)
	return r, nil, err
}
