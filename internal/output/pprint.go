package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// pprintWidth is how wide Python's pprint writes.
const pprintWidth = 80

// pprint is Python's pprint.
func pprint(v any, o Options) (string, error) {
	indent := 1
	if o.Indent != nil && *o.Indent >= 0 {
		indent = *o.Indent
	}
	return terminal.Text(pformat(v, indent)), nil
}

func pformat(v any, indent int) string {
	w := &prettyWriter{step: indent}
	w.format(v, 0, 0, 1)
	return w.String()
}

// prettyWriter breaks a value into lines that fit, if they can.
type prettyWriter struct {
	strings.Builder
	step int // blanks per level
}

// prettyRepr is Python's repr with the entries of maps in order.
func prettyRepr(v any) string {
	var b strings.Builder
	if ps, ok := pairs(v); ok {
		prettyOrder(ps)
		b.WriteByte('{')
		for i, p := range ps {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(prettyRepr(p.key) + ": " + prettyRepr(p.val))
		}
		b.WriteByte('}')
		return b.String()
	}
	if items, ok := wire.AsList(v); ok {
		b.WriteByte('[')
		for i, e := range items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(prettyRepr(e))
		}
		b.WriteByte(']')
		return b.String()
	}
	return pyfmt.Repr(v)
}

// prettyOrder sorts entries by their keys, those that Python cannot compare by the names
// of their types.
func prettyOrder(ps []pair) {
	kind := func(v any) string {
		switch v.(type) {
		case nil:
			return "NoneType"
		case string:
			return "str"
		case []byte:
			return "bytes"
		case bool:
			return "bool"
		case float64:
			return "float"
		}
		if whole(v) {
			return "int"
		}
		return fmt.Sprintf("%T", v)
	}
	slices.SortStableFunc(ps, func(a, b pair) int {
		x, okx := pyfmt.Number(a.key)
		y, oky := pyfmt.Number(b.key)
		if okx && oky {
			return cmp.Compare(x, y)
		}
		s, oks := a.key.(string)
		t, okt := b.key.(string)
		if oks && okt {
			return cmp.Compare(s, t)
		}
		return cmp.Compare(kind(a.key), kind(b.key))
	})
}

func width(s string) int { return utf8.RuneCountInString(s) }

// format writes v, which begins at the column indent and is followed by allowance
// characters on its last line.
func (w *prettyWriter) format(v any, indent, allowance, level int) {
	rep := prettyRepr(v)
	if width(rep) <= pprintWidth-indent-allowance {
		w.WriteString(rep)
		return
	}
	if ps, ok := pairs(v); ok {
		prettyOrder(ps)
		w.entries(ps, indent, allowance+1, level)
		return
	}
	if items, ok := wire.AsList(v); ok {
		w.items(items, indent, allowance+1, level)
		return
	}
	switch v := v.(type) {
	case string:
		w.text(v, indent, allowance, level)
	case []byte:
		w.bytes(v, indent, allowance, level)
	default:
		w.WriteString(rep)
	}
}

// open begins a map or list.
func (w *prettyWriter) open(mark byte) {
	w.WriteByte(mark)
	if w.step > 1 {
		w.WriteString(strings.Repeat(" ", w.step-1))
	}
}

func (w *prettyWriter) entries(ps []pair, indent, allowance, level int) {
	w.open('{')
	indent += w.step
	for i, p := range ps {
		if i > 0 {
			w.WriteString(",\n" + strings.Repeat(" ", indent))
		}
		key := prettyRepr(p.key)
		w.WriteString(key + ": ")
		after := 1
		if i == len(ps)-1 {
			after = allowance
		}
		w.format(p.val, indent+width(key)+2, after, level+1)
	}
	w.WriteByte('}')
}

func (w *prettyWriter) items(items []any, indent, allowance, level int) {
	w.open('[')
	indent += w.step
	for i, e := range items {
		if i > 0 {
			w.WriteString(",\n" + strings.Repeat(" ", indent))
		}
		after := 1
		if i == len(items)-1 {
			after = allowance
		}
		w.format(e, indent, after, level+1)
	}
	w.WriteByte(']')
}

// text writes a long text as several, which Python reads as one.
func (w *prettyWriter) text(s string, indent, allowance, level int) {
	if level == 1 {
		indent++
		allowance++
	}
	all := linesWithEnds(s)
	if len(all) == 0 {
		w.WriteString("''")
		return
	}
	most := pprintWidth - indent
	var chunks []string
	for i, l := range all {
		last := i == len(all)-1
		rep := pyfmt.Repr(l.text + l.end)
		here := most
		if last {
			here -= allowance
		}
		if width(rep) <= here {
			chunks = append(chunks, rep)
			continue
		}
		chunks = append(chunks, brokenText(l.text+l.end, most, last, allowance)...)
	}
	w.chunks(chunks, indent, level)
}

// brokenText breaks one line between its words.
func brokenText(s string, most int, last bool, allowance int) (chunks []string) {
	parts := wordsWithBlanks(s)
	current := ""
	for j, part := range parts {
		if last && j == len(parts)-1 {
			most -= allowance
		}
		if width(pyfmt.Repr(current+part)) <= most {
			current += part
			continue
		}
		if current != "" {
			chunks = append(chunks, pyfmt.Repr(current))
		}
		current = part
	}
	if current != "" {
		chunks = append(chunks, pyfmt.Repr(current))
	}
	return chunks
}

// wordsWithBlanks gives each word with the blanks behind it.
func wordsWithBlanks(s string) []string {
	var out []string
	start, blank := 0, false
	for i, r := range s {
		now := pythonSpace(r)
		if blank && !now {
			out = append(out, s[start:i])
			start = i
		}
		blank = now
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func (w *prettyWriter) chunks(chunks []string, indent, level int) {
	if len(chunks) == 1 {
		w.WriteString(chunks[0])
		return
	}
	if level == 1 {
		w.WriteByte('(')
	}
	w.WriteString(strings.Join(chunks, "\n"+strings.Repeat(" ", indent)))
	if level == 1 {
		w.WriteByte(')')
	}
}

// bytes writes long bytes as several.
func (w *prettyWriter) bytes(s []byte, indent, allowance, level int) {
	if level == 1 {
		indent++
		allowance++
	}
	most := pprintWidth - indent
	var chunks []string
	var current []byte
	for i := 0; i < len(s); i += 4 {
		part := s[i:min(i+4, len(s))]
		if i == len(s)/4*4 {
			most -= allowance
		}
		if next := slices.Concat(current, part); len(pyfmt.Repr(next)) <= most {
			current = next
			continue
		}
		if len(current) > 0 {
			chunks = append(chunks, pyfmt.Repr(current))
		}
		current = part
	}
	if len(current) > 0 {
		chunks = append(chunks, pyfmt.Repr(current))
	}
	if level == 1 { // in parentheses also when it is one
		w.WriteString("(" + strings.Join(chunks, "\n"+strings.Repeat(" ", indent)) + ")")
		return
	}
	w.WriteString(strings.Join(chunks, "\n"+strings.Repeat(" ", indent)))
}
