package jinja

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	escaper  = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")
	htmlTag  = regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`)
	wordLike = regexp.MustCompile(`[\pL\pN_]+`)
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&quot;", `"`, "&#39;", "'", "&amp;", "&")
)

func textFilter(f func(r *Run, s string) string) Filter {
	return func(r *Run, v any, _ *Args) any {
		s := Str(v)
		r.charge(len(s))
		return f(r, s)
	}
}

var textFilters = map[string]Filter{
	"upper":      textFilter(func(_ *Run, s string) string { return strings.ToUpper(s) }),
	"lower":      textFilter(func(_ *Run, s string) string { return strings.ToLower(s) }),
	"capitalize": textFilter(func(_ *Run, s string) string { return capitalize(s) }),
	"title":      textFilter(func(_ *Run, s string) string { return titleWords(s) }),
	"string":     textFilter(func(_ *Run, s string) string { return s }),
	"safe":       textFilter(func(_ *Run, s string) string { return s }),
	"e":          textFilter(escape), "escape": textFilter(escape), "forceescape": textFilter(escape),
	"striptags": textFilter(func(_ *Run, s string) string {
		return entities.Replace(strings.Join(strings.Fields(htmlTag.ReplaceAllString(s, "")), " "))
	}),
	"wordcount": func(_ *Run, v any, _ *Args) any { return int64(len(wordLike.FindAllString(Str(v), -1))) },
	"trim": func(_ *Run, v any, a *Args) any {
		return Strip(Str(v), a.Bind("do_trim", 0, "chars").Any(0, nil), true, true)
	},
	"center": func(r *Run, v any, a *Args) any {
		return r.pad(Str(v), a.Bind("do_center", 0, "width").Int(0, 80), " ", true, true)
	},
	"replace": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_replace", 2, "old new count")
		n := -1
		if b.Any(2, nil) != nil {
			n = b.Int(2, -1)
		}
		return r.replace(Str(v), Str(b.Any(0, "")), Str(b.Any(1, "")), n)
	},
	"format": func(r *Run, v any, a *Args) any {
		if len(a.Pos) > 0 && len(a.names) > 0 {
			throw("can't handle positional and keyword arguments at the same time")
		}
		if len(a.names) > 0 {
			return r.percent(Str(v), a.Keywords())
		}
		return r.percent(Str(v), Tuple(a.Pos))
	},
	"indent": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_indent", 0, "width first blank")
		indention, ok := b.Any(0, int64(4)).(string)
		if !ok {
			indention = strings.Repeat(" ", min(max(b.Int(0, 4), 0), 1<<16))
		}
		lines := SplitLines(Str(v)+"\n", false)
		r.charge(len(lines) * len(indention))
		var out strings.Builder
		for i, l := range lines {
			if i > 0 {
				out.WriteByte('\n')
				if l != "" || b.Bool(2, false) {
					out.WriteString(indention)
				}
			}
			out.WriteString(l)
		}
		r.charge(out.Len())
		if b.Bool(1, false) {
			return indention + out.String()
		}
		return out.String()
	},
	"truncate": func(_ *Run, v any, a *Args) any {
		b := a.Bind("do_truncate", 0, "length killwords end leeway")
		s, n, end, leeway := []rune(Str(v)), b.Int(0, 255), b.Str(2, "..."), 5
		if b.Any(3, nil) != nil {
			leeway = b.Int(3, 5)
		}
		if n < utf8.RuneCountInString(end) {
			throw("expected length >= %d, got %d", utf8.RuneCountInString(end), n)
		}
		if leeway < 0 {
			throw("expected leeway >= 0, got %d", leeway)
		}
		if len(s) <= n+leeway {
			return string(s)
		}
		part := string(s[:n-utf8.RuneCountInString(end)])
		if b.Bool(1, false) {
			return part + end
		}
		if i := strings.LastIndexByte(part, ' '); i >= 0 {
			part = part[:i]
		}
		return part + end
	},
	"wordwrap": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_wordwrap", 0, "width break_long_words wrapstring break_on_hyphens")
		width := b.Int(0, 79)
		if width <= 0 {
			throw("invalid width %d (must be > 0)", width)
		}
		sep := "\n"
		if b.Any(2, nil) != nil {
			sep = b.Str(2, "")
		}
		var out []string
		for _, line := range SplitLines(Str(v), false) {
			out = append(out, strings.Join(wrapLine(line, width, b.Bool(1, true), b.Bool(3, true)), sep))
		}
		text := strings.Join(out, sep)
		r.charge(len(text))
		return text
	},
	"urlencode": func(_ *Run, v any, _ *Args) any {
		quote := func(v any, slash bool) string {
			s := url.QueryEscape(Str(v))
			s = strings.ReplaceAll(s, "%7E", "~")
			if slash {
				s = strings.ReplaceAll(s, "%2F", "/")
				return strings.ReplaceAll(s, "+", "%20")
			}
			return s
		}
		var pairs []any
		switch d := v.(type) {
		case string:
			return quote(d, true)
		case *Dict:
			pairs = (&DictView{kind: "dict_items", d: d}).items()
		default:
			if !Iterable(v) {
				return quote(v, true)
			}
			pairs = iterate(v)
		}
		var out []string
		for _, p := range pairs {
			kv := iterate(p)
			if len(kv) != 2 {
				throw("not enough values to unpack (expected 2, got %d)", len(kv))
			}
			out = append(out, quote(kv[0], false)+"="+quote(kv[1], false))
		}
		return strings.Join(out, "&")
	},
	"xmlattr": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_xmlattr", 0, "autospace")
		d, ok := v.(*Dict)
		if !ok {
			failUndefined(v)
			throw("'%s' object has no attribute 'items'", typeName(v))
		}
		var out []string
		d.Range(func(k, e any) bool {
			if _, missing := e.(*Undefined); e != nil && !missing {
				out = append(out, fmt.Sprintf(`%s="%s"`, escape(r, Str(k)), escape(r, Str(e))))
			}
			return true
		})
		text := strings.Join(out, " ")
		if b.Bool(0, true) && text != "" {
			return " " + text
		}
		return text
	},
	"pprint": func(r *Run, v any, _ *Args) any { s := Pformat(v); r.charge(len(s)); return s },
}

func escape(_ *Run, s string) string { return escaper.Replace(s) }

// titleWords is Jinja's title: words begin after blanks and brackets alone.
func titleWords(s string) string {
	start := true
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || strings.ContainsRune("-({[<", c) {
			start = true
			return c
		}
		if start {
			start = false
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

// wrapLine breaks a line as Python's textwrap does with the white space kept.
func wrapLine(line string, width int, breakLong, onHyphens bool) []string {
	var chunks []string
	for rest := line; rest != ""; {
		i := strings.IndexFunc(rest, unicode.IsSpace)
		switch {
		case i < 0:
			i = len(rest)
		case i == 0:
			i = len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		}
		word := rest[:i]
		rest = rest[i:]
		if onHyphens {
			for {
				h := strings.IndexByte(word, '-')
				if h <= 0 || h+1 >= len(word) {
					break
				}
				chunks, word = append(chunks, word[:h+1]), word[h+1:]
			}
		}
		chunks = append(chunks, word)
	}
	var out []string
	cur := ""
	size := func(s string) int { return utf8.RuneCountInString(s) }
	for i := 0; i < len(chunks); i++ {
		c := chunks[i]
		blank := strings.TrimSpace(c) == ""
		if cur == "" && blank && len(out) > 0 {
			continue
		}
		if size(cur)+size(c) <= width {
			cur += c
			continue
		}
		if size(c) > width && breakLong {
			room := max(width-size(cur), 1)
			head := string([]rune(c)[:room])
			cur += head
			chunks[i] = c[len(head):]
			i--
		} else if cur == "" {
			cur = c
		} else {
			i--
		}
		if t := strings.TrimRightFunc(cur, unicode.IsSpace); t != "" || len(out) == 0 {
			out = append(out, t)
		}
		cur = ""
	}
	if t := strings.TrimRightFunc(cur, unicode.IsSpace); t != "" {
		out = append(out, t)
	}
	return out
}
