package pyfmt

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// foldAfter is the column after which a line is folded at the next space.
const foldAfter = 80

var timestamp = regexp.MustCompile(`^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)

// emitter writes the parts of YAML and tracks its position in the line.
type emitter struct {
	Writer
	model      Model
	form       YAMLForm
	step       int  // spaces per level
	indent     int  // of this level
	column     int  // in characters
	whitespace bool // a space or line end was written last
	indention  bool // the line has only indentation
	flow       int  // levels of [] and {}
	python     bool // as PyYAML's own emitter: \r is not a line end

	seen  map[any]bool   // lists and maps found; true: more than once
	named map[any]string // their anchors
}

// text writes a piece of a line.
func (e *emitter) text(s string) { _, _ = e.WriteString(s) }

// charge counts the work of scanning s character by character.
func (e *emitter) charge(s string) {
	e.model.Alloc(8 * len(s))
	e.model.Work(100 * len(s))
}

// shows reports whether a character is written unescaped.
func (e *emitter) shows(r rune) bool {
	return isPrintable(r) && (!e.form.ASCII || r <= '~') && (e.form.Escape == nil || r < utf8.RuneSelf || !e.form.Escape(r))
}

func (e *emitter) deeper(flow, indentless bool) (before int) {
	before = e.indent
	switch {
	case e.indent < 0 && flow:
		e.indent = e.step
	case e.indent < 0:
		e.indent = 0
	case !indentless:
		e.indent += e.step
	}
	return before
}

func (e *emitter) put(r rune) {
	_, _ = e.WriteRune(r)
	e.column++
}

func (e *emitter) lineBreak() {
	_ = e.WriteByte('\n')
	e.column = 0
}

// newline moves to the indentation of this level, on a new line if needed.
func (e *emitter) newline() {
	indent := max(e.indent, 0)
	if !e.indention || e.column > indent || e.column == indent && !e.whitespace {
		e.lineBreak()
	}
	for e.column < indent {
		e.put(' ')
	}
	e.whitespace, e.indention = true, true
}

func (e *emitter) indicator(s string, needSpace, whitespace, indention bool) {
	if needSpace && !e.whitespace {
		e.put(' ')
	}
	e.text(s)
	e.column += len(s)
	e.whitespace = whitespace
	e.indention = e.indention && indention
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isPrintable(r rune) bool {
	return r == '\n' || r >= 0x20 && r <= 0x7e || r >= 0xa0 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd && r != 0xfeff
}

// style is the set of styles that the characters of a scalar allow.
type style struct{ flowPlain, blockPlain, single bool }

func (e *emitter) analyse(s string) style {
	if s == "" {
		return style{blockPlain: true, single: true}
	}
	rs := []rune(s)
	var flowIndicator, blockIndicator, breaks, special, spaceBreak, breakSpace, wasSpace, wasBreak bool
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		flowIndicator, blockIndicator = true, true
	}
	blank := func(i int) bool {
		return i < 0 || i >= len(rs) || rs[i] == ' ' || rs[i] == '\t' || rs[i] == 0 || isBreak(rs[i])
	}
	for i, r := range rs {
		before, after := blank(i-1), blank(i+1)
		switch {
		case r == '#' && before || i == 0 && strings.ContainsRune(",[]{}&*!|>'\"%@`", r):
			flowIndicator, blockIndicator = true, true
		case r == '-' && i == 0 && after:
			flowIndicator, blockIndicator = true, true
		case r == ':' || r == '?' && i == 0:
			flowIndicator = true
			blockIndicator = blockIndicator || after
		case strings.ContainsRune(",?[]{}", r):
			flowIndicator = true
		}
		special = special || !e.shows(r)
		switch {
		case r == ' ':
			breakSpace = breakSpace || wasBreak
			wasSpace, wasBreak = true, false
		case isBreak(r):
			breaks = true
			spaceBreak = spaceBreak || wasSpace
			wasSpace, wasBreak = false, true
		default:
			wasSpace, wasBreak = false, false
		}
	}
	st := style{true, true, true}
	edge := func(r rune) bool { return r == ' ' || isBreak(r) }
	if edge(rs[0]) || edge(rs[len(rs)-1]) || breaks || breakSpace || spaceBreak || special {
		st.flowPlain, st.blockPlain = false, false
	}
	if breakSpace || spaceBreak || special {
		st.single = false
	}
	st.flowPlain = st.flowPlain && !flowIndicator
	st.blockPlain = st.blockPlain && !blockIndicator
	return st
}

// scalar writes a string in the plainest allowed style.
func (e *emitter) scalar(s string, plain bool, at place) {
	before := e.deeper(true, false) // for the lines after the first
	defer func() { e.indent = before }()
	e.charge(s)
	st := e.analyse(s)
	fold := !at.simpleKey
	allowed := st.blockPlain
	if e.flow > 0 {
		allowed = st.flowPlain
	}
	switch {
	case at.simpleKey && strings.ContainsFunc(s, isBreak):
		e.double(s, fold)
	case plain && allowed && (s != "" || e.flow == 0 && !at.simpleKey):
		e.plain(s, fold)
	case st.single:
		e.single(s, fold)
	default:
		e.double(s, fold)
	}
}

func (e *emitter) plain(s string, fold bool) {
	if !e.whitespace {
		e.put(' ')
	}
	rs := []rune(s)
	spaces := false
	for i, r := range rs {
		if r == ' ' {
			if fold && !spaces && e.column > foldAfter && i+1 < len(rs) && rs[i+1] != ' ' {
				e.newline()
			} else {
				e.put(r)
			}
			spaces = true
			continue
		}
		e.put(r)
		spaces, e.indention = false, false
	}
	e.whitespace, e.indention = false, false
}

func (e *emitter) single(s string, fold bool) {
	e.indicator("'", true, false, false)
	rs := []rune(s)
	spaces, breaks := false, false
	for i, r := range rs {
		switch {
		case r == ' ':
			if fold && !spaces && e.column > foldAfter && i > 0 && i+1 < len(rs) && rs[i+1] != ' ' {
				e.newline()
			} else {
				e.put(r)
			}
			spaces = true
			continue
		case isBreak(r) && !(e.python && r == '\r'):
			if !breaks && r == '\n' {
				e.lineBreak()
			}
			if r == '\n' {
				e.lineBreak()
			} else {
				e.put(r)
				e.column = 0
			}
			e.indention, breaks = true, true
			e.whitespace = e.python
			continue
		}
		if breaks {
			e.newline()
		}
		if r == '\'' {
			e.put('\'')
		}
		e.put(r)
		spaces, breaks, e.indention = false, false, false
	}
	if breaks {
		e.newline()
	}
	e.indicator("'", false, false, false)
	e.whitespace, e.indention = false, false
}

var doubleEscapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, 0x1b: `\e`,
	'"': `\"`, '\\': `\\`, '\u0085': `\N`, '\u00a0': `\_`, '\u2028': `\L`, '\u2029': `\P`,
}

func (e *emitter) double(s string, fold bool) {
	e.indicator(`"`, true, false, false)
	rs := []rune(s)
	spaces := false
	for i, r := range rs {
		switch {
		case !e.shows(r) || isBreak(r) || r == '"' || r == '\\':
			esc, ok := doubleEscapes[r]
			switch {
			case ok:
			case r <= 0xff:
				esc = fmt.Sprintf(`\x%02X`, r)
			case r <= 0xffff:
				esc = fmt.Sprintf(`\u%04X`, r)
			default:
				esc = fmt.Sprintf(`\U%08X`, r)
			}
			e.text(esc)
			e.column += len(esc)
			spaces = false
		case r == ' ':
			if fold && !spaces && e.column > foldAfter && i > 0 && i+1 < len(rs) {
				e.newline()
				if rs[i+1] == ' ' {
					e.put('\\')
				}
			} else {
				e.put(r)
			}
			spaces = true
		default:
			e.put(r)
			spaces = false
		}
	}
	e.indicator(`"`, false, false, false)
	e.whitespace, e.indention = false, false
}

// literal writes lines after a bar, for binary data.
func (e *emitter) literal(s string) {
	if e.flow > 0 {
		e.double(s, true)
		return
	}
	before := e.indent
	if e.indent < 0 {
		e.indent = 0
	}
	e.indicator("|", true, false, false)
	for l := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		e.lineBreak()
		for range e.indent + e.step {
			e.put(' ')
		}
		e.text(l)
		e.column += utf8.RuneCountInString(l)
	}
	e.indent = before
	e.whitespace, e.indention = false, false
}
