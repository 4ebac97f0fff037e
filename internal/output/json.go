package output

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// jsonText is Python's json.dumps with ensure_ascii off.
func jsonText(v any, o Options) (string, error) {
	indent := 4
	if o.Indent != nil {
		indent = *o.Indent
	}
	w := jsonWriter{indent: indent}
	w.value(v, 0)
	if w.err != nil {
		return "{}", nil // as Salt does for what JSON cannot hold
	}
	return w.String(), nil
}

type jsonWriter struct {
	strings.Builder
	indent int // negative: one line
	err    error
}

// begin starts an entry of a list or map.
func (w *jsonWriter) begin(i, depth int) {
	if i > 0 {
		w.WriteByte(',')
		if w.indent < 0 {
			w.WriteByte(' ')
		}
	}
	w.newline(depth)
}

func (w *jsonWriter) newline(depth int) {
	if w.indent < 0 {
		return
	}
	w.WriteByte('\n')
	for range w.indent * depth {
		w.WriteByte(' ')
	}
}

func (w *jsonWriter) value(v any, depth int) {
	if ps, ok := pairs(v); ok {
		w.WriteByte('{')
		for i, p := range ps {
			w.begin(i, depth+1)
			w.key(p.key)
			w.WriteString(": ")
			w.value(p.val, depth+1)
		}
		if len(ps) > 0 {
			w.newline(depth)
		}
		w.WriteByte('}')
		return
	}
	if items, ok := wire.AsList(v); ok {
		w.WriteByte('[')
		for i, e := range items {
			w.begin(i, depth+1)
			w.value(e, depth+1)
		}
		if len(items) > 0 {
			w.newline(depth)
		}
		w.WriteByte(']')
		return
	}
	if s, ok := scalarJSON(v); ok {
		w.WriteString(s)
		return
	}
	switch v := v.(type) {
	case string:
		if utf8.ValidString(v) {
			w.quote(v)
			return
		}
	}
	w.quote(pyfmt.Repr(v)) // bytes, dates
}

func (w *jsonWriter) key(k any) {
	if s, ok := k.(string); ok && utf8.ValidString(s) {
		w.quote(s)
		return
	}
	s, ok := scalarJSON(k)
	if !ok {
		w.err = fmt.Errorf("%s is no key of JSON", pyfmt.Repr(k))
	}
	w.quote(s)
}

func scalarJSON(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case *big.Int:
		return v.String(), true
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN", true
		case math.IsInf(v, 1):
			return "Infinity", true
		case math.IsInf(v, -1):
			return "-Infinity", true
		}
		return pyfmt.Float(v), true
	}
	return "", false
}

// quote writes a string. It copies runs of plain characters at once.
func (w *jsonWriter) quote(s string) {
	w.WriteByte('"')
	for s != "" {
		n := 0
		for n < len(s) && s[n] >= ' ' && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' {
			n++
		}
		w.WriteString(s[:n])
		if s = s[n:]; s == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		w.escape(r)
		s = s[size:]
	}
	w.WriteByte('"')
}

// escape writes a character of a string.
func (w *jsonWriter) escape(r rune) {
	switch r {
	case '"', '\\':
		w.WriteByte('\\')
		w.WriteRune(r)
	case '\n':
		w.WriteString(`\n`)
	case '\r':
		w.WriteString(`\r`)
	case '\t':
		w.WriteString(`\t`)
	case '\b':
		w.WriteString(`\b`)
	case '\f':
		w.WriteString(`\f`)
	default:
		if r < ' ' || terminal.Obeyed(r) {
			fmt.Fprintf(w, `\u%04x`, r)
		} else {
			w.WriteRune(r)
		}
	}
}
