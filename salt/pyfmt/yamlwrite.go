package pyfmt

import (
	"fmt"
	"strings"
)

// YAMLForm is how [WriteYAML] writes. Its zero value is block style with sorted keys.
type YAMLForm struct {
	// Indent is the number of spaces per level. Default 2, at most 9.
	Indent int
	// Flow writes everything in flow style: [] and {}.
	Flow bool
	// Leaves writes a list or map of nothing but scalars in flow style, as PyYAML
	// does by default.
	Leaves bool
	// ASCII escapes characters beyond ASCII (allow_unicode=False).
	ASCII bool
	// Sorted sorts the keys of an OrderedDict too; Ordered keeps the order of all keys.
	Sorted, Ordered bool
	// Escape reports which other characters are escaped; nil: none.
	Escape func(r rune) bool
	// MaxDepth bounds how deep lists and maps may be nested; 0: no bound.
	MaxDepth int
}

// YAML returns v, a value of package value, as a YAML document.
func YAML(v any, f YAMLForm) string {
	f.MaxDepth = 0
	var b strings.Builder
	_ = WriteYAML(&b, v, f, Values{}) // fails by MaxDepth alone
	return b.String()
}

// WriteYAML writes v as a YAML document, with the bytes that libyaml writes for PyYAML:
// lists are not indented below their key, lines are folded after 80 columns, and a list or
// map that occurs twice is named by an anchor. [ReadYAML] reads it back to the same value. The
// error is a value that is nested more than MaxDepth deep.
func WriteYAML(w Writer, v any, f YAMLForm, m Model) error {
	e := newEmitter(w, f, m)
	if err := e.count(v, 0); err != nil {
		return err
	}
	e.node(v, place{root: true})
	e.lineBreak()
	return nil
}

// depthError says that a value is nested too deep.
func depthError(most int) error { return fmt.Errorf("values are nested more than %d deep", most) }

func newEmitter(w Writer, f YAMLForm, m Model) *emitter {
	e := &emitter{Writer: w, model: m, form: f, step: 2, indent: -1, whitespace: true, indention: true}
	if f.Indent > 1 && f.Indent < 10 {
		e.step = f.Indent
	}
	return e
}

// QuoteYAML writes s on one line between double quotes, or single ones, as PyYAML's own
// emitter does: characters beyond ASCII are escaped between double quotes.
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
