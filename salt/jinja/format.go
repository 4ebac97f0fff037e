package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWidth is the largest width and precision of a format.
const maxWidth = 1 << 16

// format is str.format.
func (r *Run) format(s string, a *Args) string {
	auto := 0
	return r.formatFields(s, a, &auto, 0)
}

func (r *Run) formatFields(s string, a *Args, auto *int, depth int) string {
	if depth > 2 {
		throw("Max string recursion exceeded")
	}
	b := r.Builder()
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '}':
			if i+1 >= len(s) || s[i+1] != '}' {
				throw("Single '}' encountered in format string")
			}
			i++
			_ = b.WriteByte('}')
			continue
		case '{':
		default:
			_ = b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '{' {
			i++
			_ = b.WriteByte('{')
			continue
		}
		end, level := i+1, 1
		for ; end < len(s); end++ {
			if s[end] == '{' {
				level++
			} else if s[end] == '}' {
				if level--; level == 0 {
					break
				}
			}
		}
		if level > 0 {
			if i+1 >= len(s) {
				throw("Single '{' encountered in format string")
			}
			throw("expected '}' before end of string")
		}
		r.Work(stepWork / 4)
		_, _ = b.WriteString(r.field(s[i+1:end], a, auto, depth))
		i = end
	}
	return b.String()
}

func (r *Run) field(f string, a *Args, auto *int, depth int) string {
	name, sp, conv := f, "", ""
	if i := strings.IndexAny(f, ":!"); i >= 0 {
		name = f[:i]
		if f[i] == '!' {
			rest := f[i+1:]
			if rest == "" {
				throw("end of string while looking for conversion specifier")
			}
			conv, rest = rest[:1], rest[1:]
			if rest != "" && rest[0] != ':' {
				throw("expected ':' after conversion specifier")
			}
			sp = strings.TrimPrefix(rest, ":")
		} else {
			sp = f[i+1:]
		}
	}
	if strings.ContainsRune(sp, '{') {
		sp = r.formatFields(sp, a, auto, depth+1)
	}
	v := r.fieldValue(name, a, auto)
	switch conv {
	case "":
	case "s":
		v = r.Str(v)
	case "r", "a":
		v = r.Repr(v)
	default:
		throw("Unknown conversion specifier %s", conv)
	}
	return r.Format(v, sp)
}

// fieldValue returns the value of a field such as "0.name[key]" in a format.
func (r *Run) fieldValue(name string, a *Args, auto *int) any {
	end := strings.IndexAny(name, ".[")
	if end < 0 {
		end = len(name)
	}
	first, rest := name[:end], name[end:]
	var v any
	n, err := strconv.Atoi(first)
	switch {
	case first == "":
		n = *auto
		*auto++
		fallthrough
	case err == nil && first != "" || first == "":
		if n < 0 || n >= len(a.Pos) {
			throw("tuple index out of range")
		}
		v = a.Pos[n]
	default:
		kw, ok := a.Keyword(first)
		if !ok {
			throw("%s", Repr(first))
		}
		v = kw
	}
	for rest != "" {
		if rest[0] == '.' {
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			v = r.attr(v, rest[1:end+1])
			rest = rest[end+1:]
			continue
		}
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			throw("Missing ']' in format string")
		}
		key := any(rest[1:end])
		if i, err := strconv.Atoi(rest[1:end]); err == nil {
			key = int64(i)
		}
		v = r.item(v, key)
		rest = rest[end+1:]
	}
	return v
}

// Format is Python's format(v, spec).
func (r *Run) Format(v any, s string) string {
	if s == "" {
		return r.Str(v)
	}
	failUndefined(v)
	sp := parseSpec(s)
	r.Alloc(4*(sp.width+max(sp.prec, 0)) + smallBytes)
	r.Work(4*(sp.width+max(sp.prec, 0)) + len(s))
	switch x := v.(type) {
	case string:
		if sp.verb != 0 && sp.verb != 's' {
			throw("Unknown format code '%c' for object of type 'str'", sp.verb)
		}
		if sp.zero && sp.align == 0 {
			sp.align, sp.fill = '<', '0'
		}
		sp.zero = false
		return r.padText(sp, x)
	case bool:
		if sp.verb == 0 {
			return r.padText(sp, r.Str(x))
		}
	case int64, *big.Int, float64:
	default:
		throw("unsupported format string passed to %s.__format__", typeName(v))
	}
	if n, ok := toInt(v); ok && strings.IndexByte("eEfFgG%", max(sp.verb, 1)) < 0 {
		if sp.verb == 'c' {
			sp.verb = 0
			return r.padText(sp, string(rune(n.Int64())))
		}
		return r.padWhole(sp, n)
	}
	f, _ := toFloat(v)
	if strings.IndexByte("doxXbcn", max(sp.verb, 1)) >= 0 && sp.verb != 'n' {
		throw("Unknown format code '%c' for object of type 'float'", sp.verb)
	}
	return sp.float(f)
}

// spec is the parsed format specification.
type spec struct {
	fill  rune
	align byte
	sign  byte
	alt   bool
	zero  bool
	comma byte
	width int
	prec  int // -1: not given
	// percent is set for the operator %, which right-aligns text.
	percent bool
	verb    byte
}

func parseSpec(s string) spec {
	sp := spec{fill: ' ', prec: -1}
	whole := s
	if c, n := utf8.DecodeRuneInString(s); len(s) > n && strings.IndexByte("<>=^", s[n]) >= 0 {
		sp.fill, sp.align = c, s[n]
		s = s[n+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		sp.align, s = s[0], s[1:]
	}
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		sp.sign, s = s[0], s[1:]
	}
	if s != "" && s[0] == '#' {
		sp.alt, s = true, s[1:]
	}
	if s != "" && s[0] == '0' {
		sp.zero, s = true, s[1:]
	}
	i := sp.number(s, 0, &sp.width, nil0)
	s = s[i:]
	if s != "" && (s[0] == ',' || s[0] == '_') {
		sp.comma, s = s[0], s[1:]
	}
	if s != "" && s[0] == '.' {
		i := sp.number(s, 1, &sp.prec, nil0)
		if i == 1 {
			throw("Format specifier missing precision")
		}
		s = s[i:]
	}
	if s != "" {
		sp.verb, s = s[0], s[1:]
	}
	if s != "" || strings.IndexByte("sdnboxXeEfFgG%c", max(sp.verb, 's')) < 0 && sp.verb != 0 {
		throw("Invalid format specifier '%s'", whole)
	}
	return sp
}

func nil0() any { return nil }

// padText formats a string with its width and precision.
func (r *Run) padText(sp spec, s string) string {
	r.touch(s)
	if sp.prec >= 0 || sp.width > 0 {
		r.Alloc(2*len(s) + 4*sp.width)
	}
	return sp.text(s)
}

// padWhole formats an integer with its width and precision.
func (r *Run) padWhole(sp spec, n *big.Int) string {
	r.decimal(n)
	r.Alloc(n.BitLen() * 3)
	r.Work(n.BitLen() * 8)
	return sp.whole(n)
}

func (sp spec) text(s string) string {
	if sp.prec >= 0 {
		n := 0
		for i := range s {
			if n == sp.prec {
				s = s[:i]
				break
			}
			n++
		}
	}
	return sp.padded("", s, sp.align, !sp.percent)
}

// padded pads sign and digits to the width.
func (sp spec) padded(sign, s string, align byte, leftByDefault bool) string {
	n := sp.width - utf8.RuneCountInString(sign+s)
	if n <= 0 {
		return sign + s
	}
	fill := strings.Repeat(string(sp.fill), n)
	switch align {
	case '<':
		return sign + s + fill
	case '=':
		return sign + fill + s
	case '^':
		l := strings.Repeat(string(sp.fill), n/2)
		return l + sign + s + strings.Repeat(string(sp.fill), n-n/2)
	case '>':
		return fill + sign + s
	}
	if leftByDefault {
		return sign + s + fill
	}
	return fill + sign + s
}

func (sp spec) num(neg bool, digits string) string {
	sign := ""
	switch {
	case neg:
		sign = "-"
	case sp.sign == '+' || sp.sign == ' ':
		sign = string(sp.sign)
	}
	if sp.zero && sp.align == 0 {
		sp.align, sp.fill = '=', '0'
	}
	return sp.padded(sign, digits, sp.align, false)
}

func (sp spec) whole(n *big.Int) string {
	abs := new(big.Int).Abs(n)
	base, prefix := 10, ""
	switch sp.verb {
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	}
	digits := abs.Text(base)
	if sp.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	if sp.prec > len(digits) {
		digits = strings.Repeat("0", sp.prec-len(digits)) + digits
	}
	digits = group(digits, sp.comma)
	if sp.alt {
		digits = prefix + digits
	}
	return sp.num(n.Sign() < 0, digits)
}

func group(digits string, sep byte) string {
	if sep == 0 {
		return digits
	}
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(sep)
		}
		b.WriteRune(c)
	}
	return b.String()
}

func (sp spec) float(f float64) string {
	neg := f < 0 || f == 0 && 1/f < 0
	if neg {
		f = -f
	}
	verb, prec := sp.verb, sp.prec
	if verb == 'n' {
		verb = 'g'
	}
	var s string
	switch {
	case f != f || f > 1.7976931348623157e308:
		s = floatText(f)
	case verb == 0 && prec < 0:
		s = floatText(f)
	default:
		if prec < 0 {
			prec = 6
		}
		switch verb {
		case '%':
			s = strconv.FormatFloat(f*100, 'f', prec, 64) + "%"
		case 'e', 'E', 'f', 'F':
			s = strconv.FormatFloat(f, verb|0x20, prec, 64)
		default:
			s = general(f, prec, verb == 0, sp.alt)
		}
	}
	if verb == 'E' || verb == 'G' || verb == 'F' {
		s = strings.ToUpper(s)
	}
	if sp.comma != 0 {
		i := strings.IndexAny(s, ".e%")
		if i < 0 {
			i = len(s)
		}
		s = group(s[:i], sp.comma) + s[i:]
	}
	return sp.num(neg, s)
}

// general is %g; without a type, the result keeps a point, as in Python's repr.
func general(f float64, prec int, point, alt bool) string {
	if prec == 0 {
		prec = 1
	}
	exp := strconv.FormatFloat(f, 'e', prec-1, 64)
	e, _ := strconv.Atoi(exp[strings.IndexByte(exp, 'e')+1:])
	if f == 0 {
		e = 0
	}
	if e < -4 || e >= prec {
		m, x, _ := strings.Cut(exp, "e")
		if strings.Contains(m, ".") && !alt {
			m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
		}
		return m + "e" + x
	}
	s := strconv.FormatFloat(f, 'f', max(prec-1-e, 0), 64)
	if strings.Contains(s, ".") && !alt {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if point && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
