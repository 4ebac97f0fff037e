package modules

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
)

// PyStr writes a value as Python's str() does: what Salt's texts show.
func PyStr(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	case error:
		return v.Error()
	}
	return PyRepr(v)
}

// PyRepr writes a value as Python's repr() does.
func PyRepr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return pyQuote(v)
	case []byte:
		return "b" + pyQuoteBytes(v)
	case float64:
		return pyFloat(v)
	case []any:
		return "[" + pyJoin(v) + "]"
	case *wire.Map:
		var b strings.Builder
		b.WriteByte('{')
		v.Range(func(k, val any) bool {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(PyRepr(k) + ": " + PyRepr(val))
			return true
		})
		b.WriteByte('}')
		return b.String()
	}
	return fmt.Sprint(v)
}

// pyTuple writes values as the repr of a Python tuple.
func pyTuple(vs []any) string {
	if len(vs) == 1 {
		return "(" + PyRepr(vs[0]) + ",)"
	}
	return "(" + pyJoin(vs) + ")"
}

func pyJoin(vs []any) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = PyRepr(v)
	}
	return strings.Join(parts, ", ")
}

// pyFloat follows Python: the shortest digits that read back, plain between
// 1e-4 and 1e16, and always recognisable as a float.
func pyFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func quoteChar(s string) byte {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return '"'
	}
	return '\''
}

func pyQuote(s string) string {
	q := quoteChar(s)
	b := []byte{q}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			// Python holds bytes that are no UTF-8 as lone surrogates.
			b = fmt.Appendf(b, `\udc%02x`, s[0])
		case r == rune(q) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20 || r == 0x7f || r > 0x7f && r < 0x100 && !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\x%02x`, r)
		case !unicode.IsPrint(r) && r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\U%08x`, r)
		default:
			b = append(b, s[:n]...)
		}
		s = s[n:]
	}
	return string(append(b, q))
}

func pyQuoteBytes(p []byte) string {
	q := quoteChar(string(p))
	b := []byte{q}
	for _, c := range p {
		switch {
		case c == q || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < 0x20 || c >= 0x7f:
			b = fmt.Appendf(b, `\x%02x`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, q))
}

// pyType names the Python type of a value.
func pyType(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case float32, float64:
		return "float"
	case []any, []string:
		return "list"
	case *wire.Map, map[string]any:
		return "dict"
	case time.Time:
		return "datetime.datetime"
	}
	return "int"
}
