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
		return func(r *Run, self any, a *Args) any {
			a.Bind("is", 0, "")
			s := self.(string)
			r.Work(4 * len(s))
			return s != "" && strings.IndexFunc(s, func(c rune) bool { return !test(c) }) < 0
		}
	}
	plain := func(f func(string) string) methodFunc {
		return func(r *Run, self any, a *Args) any {
			a.Bind("str method", 0, "")
			r.text(len(self.(string)))
			r.Scratch(len(self.(string)))
			r.Work(8 * len(self.(string)))
			return f(self.(string))
		}
	}
	trim := func(left, right bool) methodFunc {
		return func(r *Run, self any, a *Args) any {
			b := a.Bind("strip", 0, "chars")
			return r.Strip(self.(string), b.Any(0, nil), left, right)
		}
	}
	affix := func(test func(s, part string) bool) methodFunc {
		return func(r *Run, self any, a *Args) any {
			b := a.Bind("startswith", 1, "prefix start end")
			s := r.cut(self.(string), b.Any(1, nil), b.Any(2, nil))
			if t, ok := b.Any(0, nil).(Tuple); ok {
				for _, e := range t {
					r.Work(visitWork + shallow(e))
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
		return func(r *Run, self any, a *Args) any {
			b := a.Bind("find", 1, "sub start end")
			from, part := r.cutAt(self.(string), b.Any(1, nil), b.Any(2, nil))
			r.Work(2 * len(part))
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
		"upper": plain(upper), "lower": plain(lower), "casefold": plain(lower),
		"title": plain(titleCase), "capitalize": plain(capitalize), "swapcase": plain(swapCase),
		"strip": trim(true, true), "lstrip": trim(true, false), "rstrip": trim(false, true),
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"find": find(false, false), "rfind": find(true, false), "index": find(false, true), "rindex": find(true, true),
		"center": pad(true, true), "ljust": pad(false, true), "rjust": pad(true, false),
		"isdigit": is(unicode.IsDigit), "isnumeric": is(unicode.IsNumber), "isdecimal": is(unicode.IsDigit),
		"isalpha": is(unicode.IsLetter), "isspace": is(unicode.IsSpace),
		"isalnum": is(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
		"isprintable": func(r *Run, self any, _ *Args) any {
			return strings.IndexFunc(self.(string), func(c rune) bool { return !unicode.IsPrint(c) }) < 0
		},
		"isascii": func(r *Run, self any, _ *Args) any { return isASCII(self.(string)) },
		"isidentifier": func(r *Run, self any, _ *Args) any {
			s := self.(string)
			for i, c := range s {
				if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
					return false
				}
			}
			return s != ""
		},
		"islower": func(r *Run, self any, _ *Args) any {
			r.touch(self, self, self, self)
			return cased(self.(string), unicode.IsLower, unicode.IsUpper)
		},
		"isupper": func(r *Run, self any, _ *Args) any {
			r.touch(self, self, self, self)
			return cased(self.(string), unicode.IsUpper, unicode.IsLower)
		},
		"istitle": func(r *Run, self any, _ *Args) any {
			s := self.(string)
			r.Scratch(len(s))
			r.Work(16 * len(s))
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
		"count": func(r *Run, self any, a *Args) any {
			b := a.Bind("count", 1, "sub start end")
			r.touch(self)
			return int64(strings.Count(r.cut(self.(string), b.Any(1, nil), b.Any(2, nil)), b.Str(0, "")))
		},
		"replace": func(r *Run, self any, a *Args) any {
			b := a.Bind("replace", 2, "old new count")
			return r.replace(self.(string), b.Str(0, ""), b.Str(1, ""), b.Int(2, -1))
		},
		"split":  func(r *Run, self any, a *Args) any { return r.split(self.(string), a, false) },
		"rsplit": func(r *Run, self any, a *Args) any { return r.split(self.(string), a, true) },
		"splitlines": func(r *Run, self any, a *Args) any {
			b := a.Bind("splitlines", 0, "keepends")
			l := &List{}
			for _, s := range r.splitLines(self.(string), b.Bool(0, false)) {
				l.Items = append(l.Items, s)
			}
			return l
		},
		"partition": func(r *Run, self any, a *Args) any {
			s, sep := self.(string), a.Bind("partition", 1, "sep").Str(0, "")
			needSep(sep)
			r.touch(s, sep)
			if before, after, ok := strings.Cut(s, sep); ok {
				return Tuple{r.part(s, before), sep, r.part(s, after)}
			}
			return Tuple{s, "", ""}
		},
		"rpartition": func(r *Run, self any, a *Args) any {
			s, sep := self.(string), a.Bind("rpartition", 1, "sep").Str(0, "")
			needSep(sep)
			r.touch(s, sep)
			if i := strings.LastIndex(s, sep); i >= 0 {
				return Tuple{r.part(s, s[:i]), sep, r.part(s, s[i+len(sep):])}
			}
			return Tuple{"", "", s}
		},
		"join": func(r *Run, self any, a *Args) any {
			var parts []string
			n := 0
			for i, e := range r.iterate(a.Bind("join", 1, "iterable").Any(0, nil)) {
				s, ok := e.(string)
				if !ok {
					failUndefined(e)
					throw("sequence item %d: expected str instance, %s found", i, typeName(e))
				}
				r.Alloc(2 * slotBytes)
				parts = append(parts, s)
				n += len(s) + len(self.(string))
			}
			r.text(n)
			return strings.Join(parts, self.(string))
		},
		"format": func(r *Run, self any, a *Args) any { return r.format(self.(string), a) },
		"format_map": func(r *Run, self any, a *Args) any {
			d, _ := a.Bind("format_map", 1, "mapping").Any(0, nil).(*Dict)
			if d == nil {
				throw("format_map() argument must be a dict")
			}
			kw := &Args{}
			r.roomDict(d.Len())
			d.Range(func(k, v any) bool { kw.set(r.Str(k), v); return true })
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
			r.text(len(s))
			return Bytes(s)
		},
		"expandtabs": func(r *Run, self any, a *Args) any {
			n := a.Bind("expandtabs", 0, "tabsize").Int(0, 8)
			b := r.Builder()
			col := 0
			for _, c := range self.(string) {
				switch {
				case c == '\t':
					for k := max(n, 0) - col%max(n, 1); k > 0 && n > 0; k-- {
						_ = b.WriteByte(' ')
						col++
					}
				case c == '\n' || c == '\r':
					_, _ = b.WriteRune(c)
					col = 0
				default:
					_, _ = b.WriteRune(c)
					col++
				}
			}
			return b.String()
		},
		"removeprefix": func(r *Run, self any, a *Args) any {
			return r.affix(strings.TrimPrefix, self.(string), a.Bind("removeprefix", 1, "prefix").Str(0, ""))
		},
		"removesuffix": func(r *Run, self any, a *Args) any {
			return r.affix(strings.TrimSuffix, self.(string), a.Bind("removesuffix", 1, "suffix").Str(0, ""))
		},
	}
	bytesMethods = map[string]methodFunc{
		"decode": func(r *Run, self any, a *Args) any {
			a.Bind("decode", 0, "encoding errors")
			s := string(self.(Bytes))
			if !utf8.ValidString(s) {
				throw("'utf-8' codec can't decode the bytes: invalid start byte")
			}
			r.text(len(s))
			return s
		},
		"hex": func(r *Run, self any, _ *Args) any {
			r.text(4 * len(self.(Bytes)))
			return hex.EncodeToString(self.(Bytes))
		},
	}
	numberMethods = map[string]methodFunc{
		"bit_length": func(r *Run, self any, _ *Args) any {
			n, ok := toInt(self)
			if !ok {
				throw("'float' object has no attribute 'bit_length'")
			}
			return int64(n.BitLen())
		},
		"is_integer": func(r *Run, self any, _ *Args) any {
			f, _ := toFloat(self)
			return f == float64(int64(f))
		},
	}
}

// upper and lower handle letters whose other case is two letters.
func upper(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS")) }

func lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇")) }

// affix removes a prefix or suffix of s.
func (r *Run) affix(trim func(s, affix string) string, s, affix string) string {
	r.touch(affix)
	return r.part(s, trim(s, affix))
}

func needSep(sep string) {
	if sep == "" {
		throw("empty separator")
	}
}

// cut returns s[start:end] in characters.
func (r *Run) cut(s string, start, end any) string {
	_, part := r.cutAt(s, start, end)
	return part
}

// cutAt returns s[start:end] and its offset, in characters. The result shares the memory of
// s.
func (r *Run) cutAt(s string, start, end any) (int, string) {
	r.Work(len(s))
	if start == nil && end == nil {
		return 0, s
	}
	if isASCII(s) {
		from, to, _ := bounds(len(s), start, end, nil)
		return from, s[from:max(from, to)]
	}
	runes := r.runes(s)
	from, to, _ := bounds(len(runes), start, end, nil)
	r.text(4 * (max(from, to) - from))
	return from, string(runes[from:max(from, to)])
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

// Strip is str.strip, lstrip or rstrip; nil chars mean white space.
func (r *Run) Strip(s string, chars any, left, right bool) string {
	test := unicode.IsSpace
	if chars != nil {
		set, ok := chars.(string)
		if !ok {
			failUndefined(chars)
			throw("strip arg must be None or str")
		}
		test = func(c rune) bool { r.Work(len(set)); return strings.ContainsRune(set, c) }
	}
	r.Work(4 * len(s))
	whole := s
	if left {
		s = strings.TrimLeftFunc(s, test)
	}
	if right {
		s = strings.TrimRightFunc(s, test)
	}
	return r.part(whole, s)
}

func (r *Run) pad(s string, width int, fill string, left, right bool) string {
	if utf8.RuneCountInString(fill) != 1 {
		throw("The fill character must be exactly one character long")
	}
	r.touch(s)
	n := width - utf8.RuneCountInString(s)
	if n <= 0 {
		return s
	}
	r.text(n*len(fill) + len(s))
	r.Scratch(n * len(fill))
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
	r.touch(s, s)
	found := strings.Count(s, from)
	if n >= 0 {
		found = min(found, n)
	}
	if more := len(to) - len(from); more > 0 && found > r.limits.Output/more {
		r.text(r.limits.Output + 1)
	}
	r.text(len(s) + found*max(0, len(to)-len(from)))
	return strings.Replace(s, from, to, n)
}
