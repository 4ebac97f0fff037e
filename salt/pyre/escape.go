package pyre

import (
	"strconv"
	"unicode/utf8"
)

// controls are the escapes of one control character.
var controls = map[rune]rune{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}

// escape parses an escape outside of a class, after the backslash.
func (p *parser) escape(flags int) (*node, error) {
	c := p.get()
	if c < 0 {
		return nil, p.fault("bad escape (end of pattern)")
	}
	switch c {
	case 'A':
		return &node{op: opAt, at: atStart}, nil
	case 'Z':
		return &node{op: opAt, at: atEnd}, nil
	case 'b', 'B':
		n := &node{op: opAt, at: atBoundary, ascii: flags&flagA != 0}
		if c == 'B' {
			n.at = atInside
		}
		return n, nil
	}
	if k, ok := categoryOf(c, flags); ok {
		return &node{op: opSet, set: &class{kinds: []category{k}}}, nil
	}
	if c >= '1' && c <= '9' {
		return p.number(c, flags)
	}
	r, err := p.character(c, 2)
	if err != nil {
		return nil, err
	}
	return literal(r, flags), nil
}

// number parses \1, \12 and \123: three octal digits are a character, others a group.
func (p *parser) number(c rune, flags int) (*node, error) {
	digits := string(c)
	if d := p.next(); d >= '0' && d <= '9' {
		digits += string(p.get())
		if e := p.next(); octal(c) && octal(d) && octal(e) {
			digits += string(p.get())
			v, err := p.octal(digits)
			if err != nil {
				return nil, err
			}
			return literal(v, flags), nil
		}
	}
	g, err := strconv.Atoi(digits)
	if err != nil || g >= p.groups {
		return nil, p.fault("invalid group reference %s", digits)
	}
	return p.reference(g, flags)
}

// character parses an escape of a character. zeros is how many octal digits may follow the
// first one.
func (p *parser) character(c rune, zeros int) (rune, error) {
	if r, ok := controls[c]; ok {
		return r, nil
	}
	switch {
	case c == 'x':
		return p.hex(2)
	case c == 'u':
		return p.hex(4)
	case c == 'U':
		return p.hex(8)
	case c == 'N':
		return 0, p.fault(`\N is not supported; write the character`)
	case octal(c):
		digits := string(c)
		for len(digits) <= zeros && octal(p.next()) {
			digits += string(p.get())
		}
		return p.octal(digits)
	case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return 0, p.fault(`bad escape \%c`, c)
	}
	return c, nil
}

func octal(r rune) bool { return r >= '0' && r <= '7' }

func (p *parser) octal(digits string) (rune, error) {
	v, err := strconv.ParseInt(digits, 8, 32)
	if err != nil || v > 0o377 {
		return 0, p.fault(`octal escape value \%s outside of range 0-0o377`, digits)
	}
	return rune(v), nil
}

func (p *parser) hex(n int) (rune, error) {
	from := p.pos
	for p.pos-from < n && isHex(p.next()) {
		p.pos++
	}
	v, err := strconv.ParseUint(string(p.text[from:p.pos]), 16, 32)
	if err != nil || p.pos-from != n || v > utf8.MaxRune {
		return 0, p.fault("incomplete or bad escape")
	}
	return rune(v), nil
}

func isHex(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
}
