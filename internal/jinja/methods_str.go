package jinja

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

var strMethods, bytesMethods, numberMethods map[string]methodFunc

func init() {
	is := func(test func(rune) bool) methodFunc {
		return func(_ *Run, self any, a *Args) any {
			a.Bind("is", 0, "")
			s := self.(string)
			return s != "" && strings.IndexFunc(s, func(c rune) bool { return !test(c) }) < 0
		}
	}
	plain := func(f func(string) string) methodFunc {
		return func(r *Run, self any, a *Args) any {
			a.Bind("str method", 0, "")
			r.charge(len(self.(string)))
			return f(self.(string))
		}
	}
	trim := func(left, right bool) methodFunc {
		return func(_ *Run, self any, a *Args) any {
			b := a.Bind("strip", 0, "chars")
			return Strip(self.(string), b.Any(0, nil), left, right)
		}
	}
	affix := func(test func(s, part string) bool) methodFunc {
		return func(_ *Run, self any, a *Args) any {
			b := a.Bind("startswith", 1, "prefix start end")
			s := cut(self.(string), b.Any(1, nil), b.Any(2, nil))
			if t, ok := b.Any(0, nil).(Tuple); ok {
				for _, e := range t {
					if p, ok := e.(string); ok && test(s, p) {
						return true
					}
				}
				return false
			}
			return test(s, b.Str(0, ""))
		}
	}
	find := func(last, must bool) methodFunc {
		return func(_ *Run, self any, a *Args) any {
			b := a.Bind("find", 1, "sub start end")
			s := self.(string)
			runes := []rune(s)
			from, to, _ := bounds(len(runes), b.Any(1, nil), b.Any(2, nil), nil)
			part := string(runes[from:max(from, to)])
			i := strings.Index(part, b.Str(0, ""))
			if last {
				i = strings.LastIndex(part, b.Str(0, ""))
			}
			if i < 0 {
				if must {
					throw("substring not found")
				}
				return int64(-1)
			}
			return int64(from + utf8.RuneCountInString(part[:i]))
		}
	}
	pad := func(left, right bool) methodFunc {
		return func(r *Run, self any, a *Args) any {
			b := a.Bind("center", 1, "width fillchar")
			return r.pad(self.(string), b.Int(0, 0), b.Str(1, " "), left, right)
		}
	}
	strMethods = map[string]methodFunc{
		"upper": plain(strings.ToUpper), "lower": plain(strings.ToLower), "casefold": plain(strings.ToLower),
		"title": plain(titleCase), "capitalize": plain(capitalize), "swapcase": plain(swapCase),
		"strip": trim(true, true), "lstrip": trim(true, false), "rstrip": trim(false, true),
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"find": find(false, false), "rfind": find(true, false), "index": find(false, true), "rindex": find(true, true),
		"center": pad(true, true), "ljust": pad(false, true), "rjust": pad(true, false),
		"isdigit": is(unicode.IsDigit), "isnumeric": is(unicode.IsNumber), "isdecimal": is(unicode.IsDigit),
		"isalpha": is(unicode.IsLetter), "isspace": is(unicode.IsSpace),
		"isalnum": is(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
		"isprintable": func(_ *Run, self any, _ *Args) any {
			return strings.IndexFunc(self.(string), func(c rune) bool { return !unicode.IsPrint(c) }) < 0
		},
		"isascii": func(_ *Run, self any, _ *Args) any { return isASCII(self.(string)) },
		"isidentifier": func(_ *Run, self any, _ *Args) any {
			s := self.(string)
			for i, c := range s {
				if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
					return false
				}
			}
			return s != ""
		},
		"islower": func(_ *Run, self any, _ *Args) any { return cased(self.(string), unicode.IsLower, unicode.IsUpper) },
		"isupper": func(_ *Run, self any, _ *Args) any { return cased(self.(string), unicode.IsUpper, unicode.IsLower) },
		"istitle": func(_ *Run, self any, _ *Args) any {
			s := self.(string)
			return cased(s, unicode.IsUpper, func(rune) bool { return false }) && titleCase(s) == s
		},
		"zfill": func(r *Run, self any, a *Args) any {
			s := self.(string)
			n := a.Bind("zfill", 1, "width").Int(0, 0)
			sign := ""
			if s != "" && (s[0] == '-' || s[0] == '+') {
				sign = s[:1]
			}
			return sign + r.pad(s[len(sign):], n-len(sign), "0", true, false)
		},
		"count": func(_ *Run, self any, a *Args) any {
			b := a.Bind("count", 1, "sub start end")
			return int64(strings.Count(cut(self.(string), b.Any(1, nil), b.Any(2, nil)), b.Str(0, "")))
		},
		"replace": func(r *Run, self any, a *Args) any {
			b := a.Bind("replace", 2, "old new count")
			return r.replace(self.(string), b.Str(0, ""), b.Str(1, ""), b.Int(2, -1))
		},
		"split":  func(r *Run, self any, a *Args) any { return r.split(self.(string), a, false) },
		"rsplit": func(r *Run, self any, a *Args) any { return r.split(self.(string), a, true) },
		"splitlines": func(_ *Run, self any, a *Args) any {
			b := a.Bind("splitlines", 0, "keepends")
			l := &List{}
			for _, s := range SplitLines(self.(string), b.Bool(0, false)) {
				l.Items = append(l.Items, s)
			}
			return l
		},
		"partition": func(_ *Run, self any, a *Args) any {
			s, sep := self.(string), a.Bind("partition", 1, "sep").Str(0, "")
			needSep(sep)
			if before, after, ok := strings.Cut(s, sep); ok {
				return Tuple{before, sep, after}
			}
			return Tuple{s, "", ""}
		},
		"rpartition": func(_ *Run, self any, a *Args) any {
			s, sep := self.(string), a.Bind("rpartition", 1, "sep").Str(0, "")
			needSep(sep)
			if i := strings.LastIndex(s, sep); i >= 0 {
				return Tuple{s[:i], sep, s[i+len(sep):]}
			}
			return Tuple{"", "", s}
		},
		"join": func(r *Run, self any, a *Args) any {
			var parts []string
			n := 0
			for i, e := range iterate(a.Bind("join", 1, "iterable").Any(0, nil)) {
				s, ok := e.(string)
				if !ok {
					failUndefined(e)
					throw("sequence item %d: expected str instance, %s found", i, typeName(e))
				}
				parts = append(parts, s)
				n += len(s) + len(self.(string))
			}
			r.charge(n)
			return strings.Join(parts, self.(string))
		},
		"format": func(r *Run, self any, a *Args) any { return r.format(self.(string), a) },
		"format_map": func(r *Run, self any, a *Args) any {
			d, _ := a.Bind("format_map", 1, "mapping").Any(0, nil).(*Dict)
			if d == nil {
				throw("format_map() argument must be a dict")
			}
			kw := &Args{}
			d.Range(func(k, v any) bool { kw.set(Str(k), v); return true })
			return r.format(self.(string), kw)
		},
		"encode": func(r *Run, self any, a *Args) any {
			b := a.Bind("encode", 0, "encoding errors")
			s := self.(string)
			switch strings.ToLower(strings.ReplaceAll(b.Str(0, "utf-8"), "_", "-")) {
			case "utf-8", "utf8":
			case "ascii", "us-ascii":
				if !isASCII(s) {
					throw("'ascii' codec can't encode characters: ordinal not in range(128)")
				}
			default:
				throw("unknown encoding: %s", b.Str(0, ""))
			}
			r.charge(len(s))
			return Bytes(s)
		},
		"expandtabs": func(r *Run, self any, a *Args) any {
			n := a.Bind("expandtabs", 0, "tabsize").Int(0, 8)
			var b strings.Builder
			col := 0
			for _, c := range self.(string) {
				switch {
				case c == '\t':
					for k := max(n, 0) - col%max(n, 1); k > 0 && n > 0; k-- {
						b.WriteByte(' ')
						col++
					}
				case c == '\n' || c == '\r':
					b.WriteRune(c)
					col = 0
				default:
					b.WriteRune(c)
					col++
				}
				if b.Len() > r.limits.Output {
					r.charge(b.Len())
				}
			}
			return b.String()
		},
		"removeprefix": func(_ *Run, self any, a *Args) any {
			return strings.TrimPrefix(self.(string), a.Bind("removeprefix", 1, "prefix").Str(0, ""))
		},
		"removesuffix": func(_ *Run, self any, a *Args) any {
			return strings.TrimSuffix(self.(string), a.Bind("removesuffix", 1, "suffix").Str(0, ""))
		},
	}
	bytesMethods = map[string]methodFunc{
		"decode": func(r *Run, self any, a *Args) any {
			a.Bind("decode", 0, "encoding errors")
			s := string(self.(Bytes))
			if !utf8.ValidString(s) {
				throw("'utf-8' codec can't decode the bytes: invalid start byte")
			}
			r.charge(len(s))
			return s
		},
		"hex": func(_ *Run, self any, _ *Args) any { return hex.EncodeToString(self.(Bytes)) },
	}
	numberMethods = map[string]methodFunc{
		"bit_length": func(_ *Run, self any, _ *Args) any {
			n, ok := toInt(self)
			if !ok {
				throw("'float' object has no attribute 'bit_length'")
			}
			return int64(n.BitLen())
		},
		"is_integer": func(_ *Run, self any, _ *Args) any {
			f, _ := toFloat(self)
			return f == float64(int64(f))
		},
	}
}

func needSep(sep string) {
	if sep == "" {
		throw("empty separator")
	}
}

// cut is s[start:end] in characters.
func cut(s string, start, end any) string {
	if start == nil && end == nil {
		return s
	}
	runes := []rune(s)
	from, to, _ := bounds(len(runes), start, end, nil)
	return string(runes[from:max(from, to)])
}

func cased(s string, want, other func(rune) bool) bool {
	found := false
	for _, c := range s {
		if other(c) {
			return false
		}
		found = found || want(c)
	}
	return found
}

func titleCase(s string) string {
	word := false
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) {
			word = false
			return c
		}
		if word {
			return unicode.ToLower(c)
		}
		word = true
		return unicode.ToTitle(c)
	}, s)
}

func capitalize(s string) string {
	first := true
	return strings.Map(func(c rune) rune {
		if first {
			first = false
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}

// Strip is str.strip and its kin; chars nil is white space.
func Strip(s string, chars any, left, right bool) string {
	test := unicode.IsSpace
	if chars != nil {
		set, ok := chars.(string)
		if !ok {
			failUndefined(chars)
			throw("strip arg must be None or str")
		}
		test = func(c rune) bool { return strings.ContainsRune(set, c) }
	}
	if left {
		s = strings.TrimLeftFunc(s, test)
	}
	if right {
		s = strings.TrimRightFunc(s, test)
	}
	return s
}

func (r *Run) pad(s string, width int, fill string, left, right bool) string {
	if utf8.RuneCountInString(fill) != 1 {
		throw("The fill character must be exactly one character long")
	}
	n := width - utf8.RuneCountInString(s)
	if n <= 0 {
		return s
	}
	r.charge(n*len(fill) + len(s))
	switch {
	case left && right:
		l := n/2 + n&width&1
		return strings.Repeat(fill, l) + s + strings.Repeat(fill, n-l)
	case left:
		return strings.Repeat(fill, n) + s
	}
	return s + strings.Repeat(fill, n)
}

func (r *Run) replace(s, from, to string, n int) string {
	r.charge(len(s) + strings.Count(s, from)*max(0, len(to)-len(from)))
	return strings.Replace(s, from, to, n)
}

// split is str.split and str.rsplit.
func (r *Run) split(s string, a *Args, fromRight bool) any {
	b := a.Bind("split", 0, "sep maxsplit")
	n := b.Int(1, -1)
	var parts []string
	if sep := b.Any(0, nil); sep != nil {
		sep := b.Str(0, "")
		needSep(sep)
		parts = splitSep(s, sep, n, fromRight)
	} else {
		parts = splitSpace(s, n, fromRight)
	}
	r.room(len(parts))
	l := &List{Items: make([]any, len(parts))}
	for i, p := range parts {
		l.Items[i] = p
	}
	return l
}

func splitSep(s, sep string, n int, fromRight bool) []string {
	if n < 0 {
		return strings.Split(s, sep)
	}
	if !fromRight {
		return strings.SplitN(s, sep, n+1)
	}
	all := strings.Split(s, sep)
	if keep := len(all) - n; keep > 1 {
		return append([]string{strings.Join(all[:keep], sep)}, all[keep:]...)
	}
	return all
}

func splitSpace(s string, n int, fromRight bool) []string {
	fields := strings.Fields(s)
	if n < 0 || len(fields) <= n {
		return fields
	}
	if fromRight {
		rest := s
		out := make([]string, 0, n+1)
		for range n {
			rest = strings.TrimRightFunc(rest, unicode.IsSpace)
			i := strings.LastIndexFunc(rest, unicode.IsSpace)
			out = append([]string{rest[i+1:]}, out...)
			rest = rest[:i+1]
		}
		return append([]string{strings.TrimRightFunc(rest, unicode.IsSpace)}, out...)
	}
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	var out []string
	for range n {
		i := strings.IndexFunc(rest, unicode.IsSpace)
		out = append(out, rest[:i])
		rest = strings.TrimLeftFunc(rest[i:], unicode.IsSpace)
	}
	return append(out, rest)
}

// SplitLines cuts a text as str.splitlines does.
func SplitLines(s string, keep bool) []string {
	var out []string
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			return append(out, s)
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		if keep {
			out = append(out, s[:i+n])
		} else {
			out = append(out, s[:i])
		}
		s = s[i+n:]
	}
	return out
}
