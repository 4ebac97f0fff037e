package pyfmt

import (
	"fmt"
	"strings"
)

// YAMLForm configures [WriteYAML]. Its zero value is block style with sorted keys.
type YAMLForm struct {
	// Indent is the number of spaces per level. Default 2, at most 9.
	Indent int
	// Flow writes everything in flow style: [] and {}.
	Flow bool
	// Leaves writes a list or map of scalars in flow style, as PyYAML does by default.
	Leaves bool
	// ASCII escapes characters beyond ASCII (allow_unicode=False).
	ASCII bool
	// Sorted sorts the keys of an OrderedDict too; Ordered keeps the order of all keys.
	Sorted, Ordered bool
	// Escape reports which other characters are escaped; nil: none.
	Escape func(r rune) bool
	// MaxDepth is the deepest nesting of lists and maps; 0 means no limit.
	MaxDepth int
}

// YAML returns v, a value of package value, as a YAML document.
func YAML(v any, f YAMLForm) string {
	f.MaxDepth = 0
	var b strings.Builder
	_ = WriteYAML(&b, v, f, Values{}) // fails only by MaxDepth
	return b.String()
}

// WriteYAML writes v as a YAML document, with the bytes that PyYAML with libyaml writes:
// lists are not indented below their key, lines are folded after 80 columns, and a list or
// map that occurs twice gets an anchor. [ReadYAML] reads it back to the same value. It
// returns an error if values nest deeper than MaxDepth.
func WriteYAML(w Writer, v any, f YAMLForm, m Model) error {
	e := newEmitter(w, f, m)
	if err := e.count(v, 0); err != nil {
		return err
	}
	e.node(v, place{root: true})
	e.lineBreak()
	return nil
}

// depthError returns the error of a value that is nested too deep.
func depthError(most int) error { return fmt.Errorf("values are nested more than %d deep", most) }

func newEmitter(w Writer, f YAMLForm, m Model) *emitter {
	e := &emitter{Writer: w, model: m, form: f, step: 2, indent: -1, whitespace: true, indention: true}
	if f.Indent > 1 && f.Indent < 10 {
		e.step = f.Indent
	}
	return e
}

// QuoteYAML writes s on one line in double or single quotes, as PyYAML's own emitter does:
// in double quotes, characters beyond ASCII are escaped.
func QuoteYAML(w Writer, s string, single bool, m Model) {
	e := newEmitter(w, YAMLForm{ASCII: true}, m)
	e.python = true
	e.charge(s)
	if single {
		e.single(s, false)
	} else {
		e.double(s, false)
	}
}

// DoubleQuoteYAML writes s on one line in double quotes, as PyYAML with libyaml does; it
// escapes line ends and what is not printable.
func DoubleQuoteYAML(w Writer, s string, m Model) {
	e := newEmitter(w, YAMLForm{}, m)
	e.charge(s)
	e.double(s, false)
}
