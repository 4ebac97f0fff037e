package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/internal/jinja"
)

// regexTime is how long one pattern may look at one text.
const regexTime = 2 * time.Second

// pattern compiles a Python pattern.
func pattern(expr string, start bool, b *jinja.Bound) *regexp2.Regexp {
	if len(expr) > 64<<10 {
		fail("a regular expression of %d bytes is too long", len(expr))
	}
	opts := regexp2.None
	if b.Bool(1, false) {
		opts |= regexp2.IgnoreCase
	}
	if b.Bool(2, false) {
		opts |= regexp2.Multiline
	}
	e := pythonDialect(expr)
	if start {
		e = `\A(?:` + e + `)`
	}
	re, err := regexp2.Compile(e, opts)
	if err != nil {
		fail("the regular expression %s cannot be read: %v", jinja.Repr(expr), err)
	}
	re.MatchTimeout = regexTime
	return re
}

// pythonDialect writes what Python writes otherwise than .NET does.
func pythonDialect(expr string) string {
	expr = strings.ReplaceAll(expr, "(?P<", "(?<")
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		rest := expr[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			if rest[1] == 'Z' {
				b.WriteString(`\z`)
			} else {
				b.WriteString(rest[:2])
			}
			i++
		case strings.HasPrefix(rest, "(?P="):
			end := strings.IndexByte(rest, ')')
			if end < 0 {
				b.WriteString(rest)
				return b.String()
			}
			b.WriteString(`\k<` + rest[4:end] + ">")
			i += end
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

// findRegex is regex_search and regex_match: the groups of the first match.
func findRegex(start bool) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("regex", 1, "rgx ignorecase multiline")
		m, err := pattern(b.Str(0, ""), start, b).FindStringMatch(text(v, "regex"))
		if err != nil {
			jinja.Throw(err)
		}
		if m == nil {
			return nil
		}
		groups := jinja.Tuple{}
		for _, g := range ordered(m)[1:] {
			if len(g.Captures) == 0 {
				groups = append(groups, nil)
				continue
			}
			groups = append(groups, g.String())
		}
		return groups
	}
}

// ordered are a match's groups by the place of their brackets: the library puts the
// named ones last.
func ordered(m *regexp2.Match) []regexp2.Group { return m.Groups() }

func regexReplace(r *jinja.Run, v any, a *jinja.Args) any {
	b := a.Bind("regex_replace", 2, "rgx val ignorecase multiline")
	flags := jinja.NewArgs(b.Any(0, nil), b.Any(2, false), b.Any(3, false)).Bind("regex_replace", 1, "rgx ignorecase multiline")
	val := b.Str(1, "")
	r.Charge(len(val))
	size := 0
	out, err := pattern(b.Str(0, ""), false, flags).ReplaceFunc(text(v, "regex_replace"), func(m regexp2.Match) string {
		s := expand(val, m)
		if size += len(s); size > 1<<16 {
			r.Charge(size)
			size = 0
		}
		return s
	}, -1, -1)
	if err != nil {
		jinja.Throw(err)
	}
	r.Charge(len(out))
	return out
}

// expand puts groups into a replacement: \1, \g<1>, \g<name>, and escapes.
func expand(val string, m regexp2.Match) string {
	var b strings.Builder
	group := func(name string) {
		g := m.GroupByName(name)
		if n, err := strconv.Atoi(name); err == nil {
			g = m.GroupByNumber(n)
		}
		if g == nil {
			fail("invalid group reference %s", name)
		}
		b.WriteString(g.String())
	}
	for i := 0; i < len(val); i++ {
		if val[i] != '\\' || i+1 >= len(val) {
			b.WriteByte(val[i])
			continue
		}
		i++
		switch c := val[i]; {
		case c >= '1' && c <= '9':
			name := val[i : i+1]
			if i+1 < len(val) && val[i+1] >= '0' && val[i+1] <= '9' {
				name = val[i : i+2]
				i++
			}
			group(name)
		case c == 'g' && i+1 < len(val) && val[i+1] == '<':
			end := strings.IndexByte(val[i:], '>')
			if end < 0 {
				fail("missing >, unterminated name")
			}
			group(val[i+2 : i+end])
			i += end
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c == 'r':
			b.WriteByte('\r')
		case c == '\\':
			b.WriteByte('\\')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			fail("bad escape \\%c", c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// regexEscape is Python's re.escape.
func regexEscape(_ *jinja.Run, v any) any {
	var b strings.Builder
	for _, c := range text(v, "regex_escape") {
		if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

var _ = filters(map[string]jinja.Filter{
	"regex_search": findRegex(false), "regex_match": findRegex(true),
	"regex_replace": regexReplace, "regex_escape": plain(regexEscape),
})

func init() {
	saltTests["match"] = func(_ *jinja.Run, v any, a *jinja.Args) bool {
		b := a.Bind("test_match", 1, "rgx ignorecase multiline")
		ok, err := pattern(b.Str(0, ""), true, b).MatchString(text(v, "match"))
		if err != nil {
			jinja.Throw(err)
		}
		return ok
	}
	saltTests["list"] = func(_ *jinja.Run, v any, _ *jinja.Args) bool { _, ok := v.(*jinja.List); return ok }
}
