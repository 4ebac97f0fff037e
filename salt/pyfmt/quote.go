package pyfmt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote writes a str literal.
func (p Printer) quote(b *strings.Builder, s string) {
	if !p.Surrogates && !utf8.ValidString(s) {
		b.WriteByte('b')
		quoteBytes(b, []byte(s))
		return
	}
	q := quoteFor(strings.Contains(s, "'"), strings.Contains(s, `"`))
	b.WriteByte(q)
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)): // an invalid byte
			fmt.Fprintf(b, `\udc%02x`, s[i])
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

// quoteFor returns Python's choice: ' unless the string contains ' and no ".
func quoteFor(single, double bool) byte {
	if single && !double {
		return '"'
	}
	return '\''
}
