package jinja

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	escaper  = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")
	entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&quot;", `"`, "&#39;", "'", "&amp;", "&")
)

func textFilter(f func(r *Run, s string) string) Filter {
	return func(r *Run, v any, _ *Args) any {
		s := r.Str(v)
		r.text(len(s))
		r.Scratch(len(s))
		r.Work(16 * len(s))
		return f(r, s)
	}
}

var textFilters = map[string]Filter{
	"upper":      textFilter(func(r *Run, s string) string { return upper(s) }),
	"lower":      textFilter(func(r *Run, s string) string { return lower(s) }),
	"capitalize": textFilter(func(r *Run, s string) string { return capitalize(s) }),
	"title":      textFilter(func(r *Run, s string) string { return titleWords(s) }),
	"string":     func(r *Run, v any, _ *Args) any { return r.Str(v) },
	"safe":       func(r *Run, v any, _ *Args) any { return r.Str(v) },
	"e":          textFilter(escape), "escape": textFilter(escape), "forceescape": textFilter(escape),
	"striptags": textFilter(func(r *Run, s string) string {
		r.Alloc(12 * len(s))
		r.Work(64 * len(s))
		return entities.Replace(strings.Join(strings.Fields(withoutTags(s)), " "))
	}),
	"wordcount": func(r *Run, v any, _ *Args) any {
		s, n, in := r.Str(v), int64(0), false
		r.Work(4 * len(s))
		for _, c := range s {
			was := in
			if in = c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c); in && !was {
				n++
			}
		}
		return n
	},
	"trim": func(r *Run, v any, a *Args) any {
		return r.Strip(r.Str(v), a.Bind("do_trim", 0, "chars").Any(0, nil), true, true)
	},
	"center": func(r *Run, v any, a *Args) any {
		return r.pad(r.Str(v), a.Bind("do_center", 0, "width").Int(0, 80), " ", true, true)
	},
	"replace": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_replace", 2, "old new count")
		n := -1
		if b.Any(2, nil) != nil {
			n = b.Int(2, -1)
		}
		return r.replace(r.Str(v), r.Str(b.Any(0, "")), r.Str(b.Any(1, "")), n)
	},
	"format": func(r *Run, v any, a *Args) any {
		if len(a.Pos) > 0 && len(a.names) > 0 {
			throw("can't handle positional and keyword arguments at the same time")
		}
		if len(a.names) > 0 {
			return r.percent(r.Str(v), r.keywords(a))
		}
		return r.percent(r.Str(v), Tuple(a.Pos))
	},
	"indent": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_indent", 0, "width first blank")
		indention, ok := b.Any(0, int64(4)).(string)
		if !ok {
			indention = strings.Repeat(" ", min(max(b.Int(0, 4), 0), 1<<16))
		}
		text := r.Str(v)
		out := r.Builder()
		if b.Bool(1, false) {
			_, _ = out.WriteString(indention)
		}
		first := true
		for l := range eachLine(text, true) {
			r.Work(4 * visitWork)
			if !first {
				_ = out.WriteByte('\n')
				if l != "" || b.Bool(2, false) {
					_, _ = out.WriteString(indention)
				}
			}
			first = false
			_, _ = out.WriteString(l)
		}
		return out.String()
	},
	"truncate": func(r *Run, v any, a *Args) any {
		b := a.Bind("do_truncate", 0, "length killwords end leeway")
		s, n, end, leeway := r.runes(r.Str(v)), b.Int(0, 255), b.Str(2, "..."), 5
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
			return r.Str(v)
		}
		r.text(4*n + len(end))
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
		out := r.Builder()
		first := true
		for line := range eachLine(r.Str(v), false) {
			if !first {
				_, _ = out.WriteString(sep)
			}
			first = false
			w := wrapper{r: r, out: out, width: width, sep: sep, breakLong: b.Bool(1, true)}
			w.line(line, b.Bool(3, true))
		}
		return out.String()
	},
	"urlencode": func(r *Run, v any, _ *Args) any {
		quote := func(v any, slash bool) string {
			s := r.Str(v)
			r.Scratch(12 * len(s))
			r.Work(16 * len(s))
			s = url.QueryEscape(s)
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
			pairs = r.viewItems(&DictView{kind: "dict_items", d: d})
		default:
			if !Iterable(v) {
				return quote(v, true)
			}
			pairs = r.iterate(v)
		}
		var out []string
		size := 0
		for _, p := range pairs {
			r.Alloc(8 * slotBytes)
			kv := r.iterate(p)
			if len(kv) != 2 {
				throw("not enough values to unpack (expected 2, got %d)", len(kv))
			}
			out = append(out, quote(kv[0], false)+"="+quote(kv[1], false))
			size += len(out[len(out)-1]) + 1
			r.text(len(out[len(out)-1]))
		}
		r.text(size)
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
		size := 0
		d.Range(func(k, e any) bool {
			r.Alloc(8 * slotBytes)
			if _, missing := e.(*Undefined); e != nil && !missing {
				out = append(out, fmt.Sprintf(`%s="%s"`, escape(r, r.Str(k)), escape(r, r.Str(e))))
				size += len(out[len(out)-1]) + 1
				r.text(len(out[len(out)-1]))
			}
			return true
		})
		r.Scratch(2 * size)
		text := strings.Join(out, " ")
		if b.Bool(0, true) && text != "" {
			return " " + text
		}
		return text
	},
	"pprint": func(r *Run, v any, _ *Args) any { return r.Pformat(v) },
}

func escape(_ *Run, s string) string { return escaper.Replace(s) }

// titleWords is Jinja's title: words begin only after blanks and brackets.
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
