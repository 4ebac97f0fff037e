package render

import (
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// saltFilters, saltTests and saltGlobals are Salt's additions to Jinja. Each file of
// filters adds its own.
var (
	saltFilters = map[string]jinja.Filter{}
	saltTests   = map[string]jinja.Test{}
	saltGlobals = map[string]any{}
)

// filters adds a group of filters.
func filters(group map[string]jinja.Filter) struct{} {
	for name, f := range group {
		saltFilters[name] = f
	}
	return struct{}{}
}

// plain returns a filter without arguments.
func plain(f func(r *jinja.Run, v any) any) jinja.Filter {
	return func(r *jinja.Run, v any, a *jinja.Args) any {
		a.Bind("filter", 0, "")
		return f(r, v)
	}
}

// text returns v if it is a string; otherwise it fails the run.
func text(r *jinja.Run, v any, what string) string {
	switch v := v.(type) {
	case string:
		return v
	case jinja.Bytes:
		return string(v)
	}
	_ = jinja.Truth(v) // an undefined value fails with its own message
	fail("%s: expected str, bytes, or bytearray not <class '%s'>", what, jinja.TypeName(v))
	return ""
}

// number converts a text to Python's int or float, as Salt's to_num does.
func number(r *jinja.Run, v any) any {
	r.Work(number64(v))
	if n, ok := jinja.ParseInt(v, 10); ok {
		return n
	}
	if f, ok := jinja.ParseFloat(v); ok {
		return f
	}
	if _, ok := v.(string); !ok && v != nil {
		fail("int() argument must be a string, a bytes-like object or a real number, not '%s'", jinja.TypeName(v))
	}
	return v
}

func globMatch(pattern, s string) bool { return target.Glob(pattern, s) }

// word parses a word as Salt parses an argument of a command line.
func word(s string) any { return pyfmt.YAMLWord(s) }

// optional returns argument i; ok is false for None.
func optional(b *jinja.Bound, i int) (string, bool) {
	if v := b.Any(i, nil); v == nil {
		return "", false
	}
	return b.Str(i, ""), true
}

func splitTrim(s, sep string) []string {
	var out []string
	for p := range strings.SplitSeq(s, sep) {
		out = append(out, strings.TrimSpace(p))
	}
	return out
}

// number64 returns the work of parsing a number.
func number64(v any) int {
	s, _ := v.(string)
	return 4*len(s) + min(len(s), 5000)*min(len(s), 5000)/16
}
