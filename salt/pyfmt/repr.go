package pyfmt

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

// Str is Python's str(v) of a wire value.
func Str(v any) string { return Printer{}.Str(v) }

// Repr is Python's repr(v) of a wire value.
func Repr(v any) string { return Printer{}.Repr(v) }

// OrderedStr is Python's str(v) for a v that Salt read from an SLS: maps are OrderedDicts.
func OrderedStr(v any) string { return Printer{Ordered: true}.Str(v) }

// Printer formats values as Python does.
type Printer struct {
	// Surrogates is for text of this machine: Python represents its invalid UTF-8 bytes as
	// lone surrogates. Salt keeps other such text as bytes.
	Surrogates bool
	// Ordered prints a map as an OrderedDict, the type of maps in an SLS, in the form of
	// Python before 3.12.
	Ordered bool
}

// Str is Python's str(v).
func (p Printer) Str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05") + micros(v, ".%06d")
	}
	return p.Repr(v)
}

// Repr is Python's repr(v).
func (p Printer) Repr(v any) string {
	var b strings.Builder
	p.write(&b, v)
	return b.String()
}

func (p Printer) write(b *strings.Builder, v any) {
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
		p.quote(b, v)
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
			p.write(b, e)
		}
		b.WriteByte(']')
	case []string:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			p.quote(b, e)
		}
		b.WriteByte(']')
	case *value.Map:
		first := true
		if p.Ordered {
			p.ordered(b, v)
			return
		}
		b.WriteByte('{')
		if v != nil {
			v.Range(func(k, e any) bool {
				p.pair(b, k, e, &first)
				return true
			})
		}
		b.WriteByte('}')
	case map[string]any:
		first := true
		b.WriteByte('{')
		for _, k := range slices.Sorted(maps.Keys(v)) {
			p.pair(b, k, v[k], &first)
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
		p.quote(b, fmt.Sprint(v))
	}
}

// ordered writes m as OrderedDict([(k, v), …]).
func (p Printer) ordered(b *strings.Builder, m *value.Map) {
	b.WriteString("OrderedDict(")
	if m.Len() > 0 {
		b.WriteByte('[')
		sep := "("
		m.Range(func(k, v any) bool {
			b.WriteString(sep)
			sep = ", ("
			p.write(b, k)
			b.WriteString(", ")
			p.write(b, v)
			b.WriteByte(')')
			return true
		})
		b.WriteByte(']')
	}
	b.WriteByte(')')
}

func (p Printer) pair(b *strings.Builder, k, v any, first *bool) {
	if !*first {
		b.WriteString(", ")
	}
	*first = false
	p.write(b, k)
	b.WriteString(": ")
	p.write(b, v)
}

func micros(t time.Time, format string) string {
	if us := t.Nanosecond() / 1000; us != 0 {
		return fmt.Sprintf(format, us)
	}
	return ""
}
