package jinja

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	floatLiteral = regexp.MustCompile(`^(?:[0-9]+_)*[0-9]+(?:(?:\.(?:[0-9]+_)*[0-9]+)?[eE][-+]?(?:[0-9]+_)*[0-9]+|\.(?:[0-9]+_)*[0-9]+)`)
	intLiteral   = regexp.MustCompile(`^(?:0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?[0-9])*|0(?:_?0)*)`)
)

// number reads a number; the lexer is at a digit.
func (l *lexer) number(line int) token {
	rest := l.src[l.pos:]
	if n := len(rest); n > 400 {
		rest = rest[:400]
	}
	afterDot := l.pos > 0 && l.src[l.pos-1] == '.'
	if m := floatLiteral.FindString(rest); m != "" && !afterDot {
		l.pos += len(m)
		f, _ := strconv.ParseFloat(strings.ReplaceAll(m, "_", ""), 64) // too large becomes inf, as in Python
		return token{kind: tFloat, text: m, val: f, line: line}
	}
	m := intLiteral.FindString(rest)
	l.pos += len(m)
	n, _ := new(big.Int).SetString(strings.ReplaceAll(m, "_", ""), 0)
	if strings.Trim(m, "0_") == "" {
		n = new(big.Int)
	}
	return token{kind: tInt, text: m, val: Int(n), line: line}
}

// quoted reads a quoted string; ok is false if it is not terminated.
func (l *lexer) quoted(q byte, line int) (token, bool) {
	for i := l.pos + 1; i < len(l.src); i++ {
		switch l.src[i] {
		case '\\':
			i++
		case q:
			raw := l.src[l.pos+1 : i]
			s := raw
			if strings.IndexByte(raw, '\\') >= 0 {
				s = l.unescape(raw)
			}
			l.pos = i + 1
			return token{kind: tString, text: s, line: line}, true
		}
	}
	return token{}, false
}

var simpleEscapes = map[byte]string{
	'\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '\n': "",
}

// unescape decodes like Python's unicode-escape.
func (l *lexer) unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i >= len(s) {
			l.fail(l.pos, `\ at end of string`)
		}
		c := s[i]
		if t, ok := simpleEscapes[c]; ok {
			b.WriteString(t)
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		switch {
		case c >= '0' && c <= '7':
			n, end := 0, min(i+3, len(s))
			for ; i < end && s[i] >= '0' && s[i] <= '7'; i++ {
				n = n*8 + int(s[i]-'0')
			}
			i--
			b.WriteRune(rune(n))
		case digits > 0:
			n, err := uint64(0), strconv.ErrSyntax
			if i+digits < len(s)+0 && i+1+digits <= len(s) {
				n, err = strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			}
			if err != nil {
				l.fail(l.pos, `truncated \%c%s escape`, c, strings.Repeat("X", digits))
			}
			if n > utf8.MaxRune {
				l.fail(l.pos, "illegal Unicode character")
			}
			b.WriteRune(rune(n))
			i += digits
		case c == 'N':
			l.fail(l.pos, "unknown Unicode character name")
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}
