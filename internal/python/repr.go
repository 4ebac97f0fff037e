package python

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/momtree/mom/internal/wire"
)

// Str is Python's str(v) for a value as the wire decodes it.
func Str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05") + micros(v, ".%06d")
	}
	return Repr(v)
}

// Repr is Python's repr(v) for a value as the wire decodes it.
func Repr(v any) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case string:
		quote(b, v)
	case []byte:
		b.WriteByte('b')
		quoteBytes(b, v)
	case int:
		b.WriteString(strconv.Itoa(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case uint64:
		b.WriteString(strconv.FormatUint(v, 10))
	case *big.Int:
		b.WriteString(v.String())
	case float32:
		b.WriteString(Float(float64(v)))
	case float64:
		b.WriteString(Float(v))
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, e)
		}
		b.WriteByte(']')
	case []string:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			quote(b, e)
		}
		b.WriteByte(']')
	case *wire.Map:
		first := true
		b.WriteByte('{')
		if v != nil {
			v.Range(func(k, e any) bool {
				pair(b, k, e, &first)
				return true
			})
		}
		b.WriteByte('}')
	case map[string]any:
		first := true
		b.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			pair(b, k, v[k], &first)
		}
		b.WriteByte('}')
	case time.Time:
		u := v.UTC()
		fmt.Fprintf(b, "datetime.datetime(%d, %d, %d, %d, %d", u.Year(), int(u.Month()), u.Day(), u.Hour(), u.Minute())
		if us := u.Nanosecond() / 1000; u.Second() != 0 || us != 0 {
			fmt.Fprintf(b, ", %d", u.Second())
			if us != 0 {
				fmt.Fprintf(b, ", %d", us)
			}
		}
		b.WriteByte(')')
	default:
		quote(b, fmt.Sprint(v))
	}
}

func pair(b *strings.Builder, k, v any, first *bool) {
	if !*first {
		b.WriteString(", ")
	}
	*first = false
	write(b, k)
	b.WriteString(": ")
	write(b, v)
}

func micros(t time.Time, format string) string {
	if us := t.Nanosecond() / 1000; us != 0 {
		return fmt.Sprintf(format, us)
	}
	return ""
}

// Float is Python's repr of a float.
func Float(f float64) string {
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

// quote writes a str literal. Text that is no UTF-8 is what Python keeps as
// bytes.
func quote(b *strings.Builder, s string) {
	if !utf8.ValidString(s) {
		b.WriteByte('b')
		quoteBytes(b, []byte(s))
		return
	}
	q := quoteFor(strings.Contains(s, "'"), strings.Contains(s, `"`))
	b.WriteByte(q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(b, `\x%02x`, r)
		case r < 0x7f || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
	b.WriteByte(q)
}

func quoteBytes(b *strings.Builder, s []byte) {
	q := quoteFor(strings.Contains(string(s), "'"), strings.Contains(string(s), `"`))
	b.WriteByte(q)
	for _, c := range s {
		switch {
		case c == q || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte(q)
}

// quoteFor is Python's choice: ' unless the text holds ' and no ".
func quoteFor(single, double bool) byte {
	if single && !double {
		return '"'
	}
	return '\''
}
