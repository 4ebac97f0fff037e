package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/salt/jinja"
)

// regexTime bounds the match of one pattern with one text, if the rendering has that much
// time left.
const regexTime = 2 * time.Second

// regexBytes is the memory per character of a text during a match.
const regexBytes = 8

// looking limits a match to the remaining time of the rendering. The returned function
// counts the time it took.
func looking(r *jinja.Run, re *regexp2.Regexp, s string) (done func()) {
	r.Alloc(regexBytes * len(s))
	//mutant:render-regex
	re.MatchTimeout = min(regexTime, max(r.TimeLeft(), time.Millisecond))
	begun := time.Now()
	return func() { r.Work(int(time.Since(begun))) }
}

// matchWhole reports whether a pattern matches a whole text.
func matchWhole(r *jinja.Run, expr, s string) (bool, error) {
	re, err := regexp2.Compile(`\A(?:`+pythonDialect(expr)+`)\z`, regexp2.None)
	if err != nil {
		return false, err
	}
	defer looking(r, re, s)()
	return re.MatchString(s)
}

// pattern compiles a Python pattern.
func pattern(r *jinja.Run, expr string, start bool, b *jinja.Bound) *regexp2.Regexp {
	if len(expr) > 64<<10 {
		fail("a regular expression of %d bytes is too long", len(expr))
	}
	r.Scratch(64 * len(expr))
	r.Work(256 * len(expr))
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
	return re
}

// pythonDialect translates what Python writes differently from .NET.
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

// findRegex is regex_search and regex_match: it returns the groups of the first match.
func findRegex(start bool) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		b := a.Bind("regex", 1, "rgx ignorecase multiline")
		re, s := pattern(r, b.Str(0, ""), start, b), text(r, v, "regex")
		done := looking(r, re, s)
		m, err := re.FindStringMatch(s)
		done()
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
			r.Scratch(4 * g.Length)
			groups = append(groups, g.String())
		}
		return groups
	}
}

// ordered returns the groups of a match in the order of their brackets: the library puts
// the named ones last.
func ordered(m *regexp2.Match) []regexp2.Group { return m.Groups() }

func regexReplace(r *jinja.Run, v any, a *jinja.Args) any {
	b := a.Bind("regex_replace", 2, "rgx val ignorecase multiline")
	flags := jinja.NewArgs(b.Any(0, nil), b.Any(2, false), b.Any(3, false)).Bind("regex_replace", 1, "rgx ignorecase multiline")
	val := b.Str(1, "")
	r.Charge(len(val))
	size := 0
	re, s := pattern(r, b.Str(0, ""), false, flags), text(r, v, "regex_replace")
	done := looking(r, re, s)
	out, err := re.ReplaceFunc(s, func(m regexp2.Match) string {
		r.Alloc(matchBytes)
		part := expand(r, val, m)
		r.Scratch(2 * len(part))
		if size += len(part); size > limitsOf(r).Output {
			r.Charge(size)
		}
		return part
	}, -1, -1)
	done()
	if err != nil {
		jinja.Throw(err)
	}
	return out
}

// matchBytes is the memory of one match in the library.
const matchBytes = 512

// expand expands groups in a replacement: \1, \g<1>, \g<name>, and escapes.
func expand(r *jinja.Run, val string, m regexp2.Match) string {
	b := r.Builder()
	group := func(name string) {
		g := m.GroupByName(name)
		if n, err := strconv.Atoi(name); err == nil {
			g = m.GroupByNumber(n)
		}
		if g == nil {
			fail("invalid group reference %s", name)
		}
		_, _ = b.WriteString(g.String())
	}
	for i := 0; i < len(val); i++ {
		if val[i] != '\\' || i+1 >= len(val) {
			_ = b.WriteByte(val[i])
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
			_ = b.WriteByte('\n')
		case c == 't':
			_ = b.WriteByte('\t')
		case c == 'r':
			_ = b.WriteByte('\r')
		case c == '\\':
			_ = b.WriteByte('\\')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			fail("bad escape \\%c", c)
		default:
			_ = b.WriteByte('\\')
			_ = b.WriteByte(c)
		}
	}
	return b.String()
}

// regexEscape is Python's re.escape.
func regexEscape(r *jinja.Run, v any) any {
	var b strings.Builder
	s := text(r, v, "regex_escape")
	r.Scratch(4 * len(s))
	r.Work(16 * len(s))
	for _, c := range s {
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
	saltTests["match"] = func(r *jinja.Run, v any, a *jinja.Args) bool {
		b := a.Bind("test_match", 1, "rgx ignorecase multiline")
		re, s := pattern(r, b.Str(0, ""), true, b), text(r, v, "match")
		done := looking(r, re, s)
		ok, err := re.MatchString(s)
		done()
		if err != nil {
			jinja.Throw(err)
		}
		return ok
	}
	saltTests["list"] = func(r *jinja.Run, v any, _ *jinja.Args) bool { _, ok := v.(*jinja.List); return ok }
}
