package pyfmt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// pprintWidth is the line width of Python's pprint, in characters.
const pprintWidth = 80

// PrintForm configures [WritePretty].
type PrintForm struct {
	// Indent is the number of spaces per level.
	Indent int
	// MaxDepth is the deepest nesting of lists and maps; 0 means no limit.
	MaxDepth int
}

// Pretty returns v, a value of package value, as Python's pprint.pformat does. Python's
// default for indent is 1.
func Pretty(v any, indent int) string {
	var b strings.Builder
	_ = WritePretty(&b, v, PrintForm{Indent: indent}, Values{}) // fails only by MaxDepth
	return b.String()
}

// WritePretty writes v as Python's pprint.pformat does: on one line if it fits 80 columns,
// with sorted keys, and long strings in pieces. It returns an error if values nest deeper
// than MaxDepth.
func WritePretty(w Writer, v any, f PrintForm, m Model) error {
	p := &prettyWriter{w, m, f, nil}
	p.format(v, 0, 0, 1)
	return p.err
}

// prettyWriter breaks a value into lines that fit, if possible.
type prettyWriter struct {
	Writer
	model Model
	form  PrintForm
	err   error
}

func (w *prettyWriter) text(s string) { _, _ = w.WriteString(s) }

// order sorts entries by their keys; keys that Python cannot compare are sorted by the
// names of their types.
func (w *prettyWriter) order(ps []Pair) []Pair {
	slices.SortStableFunc(ps, func(a, b Pair) int {
		_, s := a.Key.(string)
		_, t := b.Key.(string)
		if s && t || isNumber(a.Key) && isNumber(b.Key) {
			return w.model.Compare(a.Key, b.Key)
		}
		w.model.Work(16)
		return cmp.Compare(w.model.TypeName(a.Key), w.model.TypeName(b.Key))
	})
	return ps
}

func width(s string) int { return utf8.RuneCountInString(s) }

// deep reports whether a value at this level is nested too deep.
func (w *prettyWriter) deep(level int) bool {
	if w.form.MaxDepth > 0 && level > w.form.MaxDepth {
		w.err = cmp.Or(w.err, depthError(w.form.MaxDepth))
	}
	return w.err != nil
}

// oneLine returns the repr of a value, with maps sorted, if it takes at most room
// characters.
func (w *prettyWriter) oneLine(v any, room, level int) (string, bool) {
	l := prettyLine{w: w, room: room}
	ok := l.write(v, level)
	return l.b.String(), ok
}

// prettyLine is the text of a value on one line, as long as there is room.
type prettyLine struct {
	w    *prettyWriter
	b    strings.Builder
	room int // in characters
}

func (l *prettyLine) add(s string) bool {
	if len(s)/utf8.UTFMax > l.room {
		l.room = -1
		return false
	}
	if l.room -= width(s); l.room < 0 {
		return false
	}
	l.w.model.Work(8)
	l.b.WriteString(s)
	return true
}

func (l *prettyLine) write(v any, level int) bool {
	if l.w.deep(level) {
		return false
	}
	n := l.w.model.Open(v)
	if 2*n.size() > l.room {
		return false
	}
	switch n.Kind {
	case Dict:
		if !l.add("{") {
			return false
		}
		for i, p := range l.w.order(n.Pairs) {
			if i > 0 && !l.add(", ") || !l.write(p.Key, level+1) || !l.add(": ") || !l.write(p.Val, level+1) {
				return false
			}
		}
		return l.add("}")
	case List, Tuple:
		open, end := brackets(n)
		if !l.add(open) {
			return false
		}
		for i, e := range n.Items {
			if i > 0 && !l.add(", ") || !l.write(e, level+1) {
				return false
			}
		}
		return l.add(end)
	}
	if s, ok := n.Value.(string); ok && len(s)/utf8.UTFMax > l.room {
		return false
	}
	return l.add(l.w.model.Repr(v))
}

// brackets returns those of a list or tuple.
func brackets(n Node) (open, end string) {
	switch {
	case n.Kind == List:
		return "[", "]"
	case len(n.Items) == 1:
		return "(", ",)"
	}
	return "(", ")"
}

// format writes v, starting at the column indent. allowance is the number of characters
// that follow on its last line.
func (w *prettyWriter) format(v any, indent, allowance, level int) {
	if w.deep(level) {
		return
	}
	if s, ok := w.oneLine(v, pprintWidth-indent-allowance, level); ok {
		w.text(s)
		return
	}
	n := w.model.Open(v)
	switch n.Kind {
	case Dict:
		w.entries(w.order(n.Pairs), indent, allowance+1, level)
		return
	case List, Tuple:
		w.items(n, indent, allowance, level)
		return
	}
	switch v := n.Value.(type) {
	case string:
		if utf8.ValidString(v) {
			w.str(v, indent, allowance, level)
			return
		}
	case []byte:
		w.bytes(v, indent, allowance, level)
		return
	}
	w.text(w.model.Repr(v))
}

// open begins a map or list.
func (w *prettyWriter) open(mark string) {
	w.text(mark)
	if w.form.Indent > 1 {
		w.text(strings.Repeat(" ", w.form.Indent-1))
	}
}

// next ends an element and begins the line of the next.
func (w *prettyWriter) next(indent int) {
	w.model.Alloc(indent + 2)
	w.text(",\n" + strings.Repeat(" ", indent))
}

func (w *prettyWriter) entries(ps []Pair, indent, allowance, level int) {
	w.open("{")
	indent += w.form.Indent
	for i, p := range ps {
		if i > 0 {
			w.next(indent)
		}
		key, _ := w.oneLine(p.Key, 1<<30, level+1)
		w.text(key + ": ")
		after := 1
		if i == len(ps)-1 {
			after = allowance
		}
		w.format(p.Val, indent+width(key)+2, after, level+1)
	}
	w.text("}")
}

func (w *prettyWriter) items(n Node, indent, allowance, level int) {
	open, end := brackets(n)
	w.open(open)
	indent += w.form.Indent
	for i, e := range n.Items {
		if i > 0 {
			w.next(indent)
		}
		after := 1
		if i == len(n.Items)-1 {
			after = allowance + len(end)
		}
		w.format(e, indent, after, level+1)
	}
	w.text(end)
}
