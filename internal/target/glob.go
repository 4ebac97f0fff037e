package target

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// globPattern is a compiled pattern of Python's fnmatch: * for any text, ? for one character,
// [a-z] and [!a-z] for classes. There is no escape character.
type globPattern struct {
	exact bool    // the pattern has no *: parts[0] is all of it
	parts []piece // the parts between the stars, in order
}

// piece is a part of a pattern without stars.
type piece struct {
	literal string // if simple
	simple  bool
	runes   []matcher
}

// matcher matches one character.
type matcher struct {
	kind   byte // 'l' literal, '?' any, '[' class
	r      rune
	not    bool
	ranges [][2]rune
}

func (m *matcher) match(r rune) bool {
	switch m.kind {
	case 'l':
		return r == m.r
	case '?':
		return true
	}
	for _, x := range m.ranges {
		if x[0] <= r && r <= x[1] {
			return !m.not
		}
	}
	return m.not
}

// Glob reports whether s matches a pattern by the rules of Python's fnmatch. To match many
// texts, use Parse.
func Glob(pattern, s string) bool { return compileGlob(pattern).match(s) }

func compileGlob(pattern string) globPattern {
	g := globPattern{exact: true}
	var cur piece
	flush := func() {
		cur.simple = !slices.ContainsFunc(cur.runes, func(m matcher) bool { return m.kind != 'l' || m.r == utf8.RuneError })
		if cur.simple {
			var b strings.Builder
			for _, m := range cur.runes {
				b.WriteRune(m.r)
			}
			cur.literal, cur.runes = b.String(), nil
		}
		g.parts = append(g.parts, cur)
		cur = piece{}
	}
	pat := []rune(pattern)
	for i := 0; i < len(pat); {
		c := pat[i]
		i++
		switch c {
		case '*':
			for i < len(pat) && pat[i] == '*' {
				i++
			}
			g.exact = false
			flush()
		case '?':
			cur.runes = append(cur.runes, matcher{kind: '?'})
		case '[':
			m, next := class(pat, i)
			cur.runes = append(cur.runes, m)
			i = next
		default:
			cur.runes = append(cur.runes, matcher{kind: 'l', r: c})
		}
	}
	flush()
	return g
}

// class parses the class after the bracket at i. Without a closing bracket, the bracket is
// literal.
func class(pat []rune, i int) (matcher, int) {
	j := i
	if j < len(pat) && pat[j] == '!' {
		j++
	}
	if j < len(pat) && pat[j] == ']' {
		j++
	}
	for j < len(pat) && pat[j] != ']' {
		j++
	}
	if j >= len(pat) {
		return matcher{kind: 'l', r: '['}, i
	}
	stuff := pat[i:j]
	m := matcher{kind: '['}
	if len(stuff) > 0 && stuff[0] == '!' {
		m.not = true
		stuff = stuff[1:]
	}
	m.ranges = append(m.ranges, chunks(stuff)...)
	return m, j + 1
}

// chunks splits a class into ranges. A hyphen makes a range unless it is the first or last
// character or directly follows a range. A reversed range is empty.
func chunks(stuff []rune) [][2]rune {
	var parts [][]rune
	start, from := 0, 1
	for {
		k := -1
		if from <= len(stuff) {
			k = slices.Index(stuff[from:], '-')
		}
		if k < 0 {
			break
		}
		k += from
		parts = append(parts, slices.Clone(stuff[start:k]))
		start, from = k+1, k+3
	}
	last := slices.Clone(stuff[min(start, len(stuff)):])
	switch {
	case len(last) > 0 || len(parts) == 0:
		parts = append(parts, last)
	default:
		parts[len(parts)-1] = append(parts[len(parts)-1], '-')
	}
	for k := len(parts) - 1; k > 0; k-- {
		a, b := parts[k-1], parts[k]
		if len(a) > 0 && len(b) > 0 && a[len(a)-1] > b[0] {
			parts[k-1] = append(a[:len(a)-1:len(a)-1], b[1:]...)
			parts = slices.Delete(parts, k, k+1)
		}
	}
	var out [][2]rune
	for k, p := range parts {
		for i, r := range p {
			if k > 0 && i == 0 {
				continue // the end of a range
			}
			if i == len(p)-1 && k+1 < len(parts) && len(parts[k+1]) > 0 {
				out = append(out, [2]rune{r, parts[k+1][0]})
				continue
			}
			out = append(out, [2]rune{r, r})
		}
	}
	return out
}

func (g globPattern) match(s string) bool {
	first := &g.parts[0]
	n, ok := first.prefix(s)
	if !ok {
		return false
	}
	if g.exact {
		return n == len(s)
	}
	s = s[n:]
	last := len(g.parts) - 1
	for i := 1; i < last; i++ {
		if s, ok = g.parts[i].find(s); !ok {
			return false
		}
	}
	return g.parts[last].suffix(s)
}

// prefix returns how many bytes at the start of s the piece matches.
func (p *piece) prefix(s string) (int, bool) {
	if p.simple {
		return len(p.literal), strings.HasPrefix(s, p.literal)
	}
	n := 0
	for i := range p.runes {
		if n >= len(s) {
			return 0, false
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		if !p.runes[i].match(r) {
			return 0, false
		}
		n += size
	}
	return n, true
}

// find finds the first match of the piece and returns the text after it.
func (p *piece) find(s string) (string, bool) {
	if p.simple {
		i := strings.Index(s, p.literal)
		if i < 0 {
			return "", false
		}
		return s[i+len(p.literal):], true
	}
	for {
		if n, ok := p.prefix(s); ok {
			return s[n:], true
		}
		if s == "" {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
}

func (p *piece) suffix(s string) bool {
	if p.simple {
		return strings.HasSuffix(s, p.literal)
	}
	at := len(s)
	for range p.runes {
		if at == 0 {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	n, ok := p.prefix(s[at:])
	return ok && at+n == len(s)
}

// plain returns the text of a pattern without wildcards.
func (g globPattern) plain() (string, bool) {
	return g.parts[0].literal, g.exact && g.parts[0].simple
}
