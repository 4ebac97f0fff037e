package hostile

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// saltMatches reports whether a target matches Salt's minion.
func saltMatches(m *minion, tgt any, kind, delimiter string) bool {
	s, isText := tgt.(string)
	switch kind {
	case "list":
		return inList(m.id, tgt)
	case "compound":
		if isText {
			return compoundMatches(m, pythonFields(s))
		}
		words, ok := tgt.([]any)
		return ok && len(wire.Texts(words)) == len(words) && compoundMatches(m, wire.Texts(words))
	}
	if !isText {
		return false
	}
	if delimiter == "" {
		delimiter = ":"
	}
	switch kind {
	case "", "glob":
		return globMatches(s, m.id)
	case "pcre":
		return reMatches(s, m.id)
	case "grain":
		return dataMatches(m.grains, s, delimiter, globMatches)
	case "grain_pcre":
		return dataMatches(m.grains, s, delimiter, reMatches)
	case "pillar":
		return dataMatches(m.pillar, s, delimiter, globMatches)
	case "pillar_pcre":
		return dataMatches(m.pillar, s, ":", reMatches)
	case "pillar_exact":
		return dataMatches(m.pillar, s, ":", equalMatches)
	case "ipcidr":
		return addressMatches(s, m.grains.List("ipv4"))
	}
	return false
}

// inList looks an id up in a list, or between the commas of a text.
func inList(id string, tgt any) bool {
	switch tgt := tgt.(type) {
	case string:
		return slices.Contains(strings.Split(tgt, ","), id)
	case []any:
		return slices.Contains(tgt, any(id))
	}
	return false
}

// pythonFields are the words of a text as Python divides it, which knows blanks that Go does
// not: the separators U+001C to U+001F.
func pythonFields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(pythonBlanks, r) })
}

const pythonBlanks = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// globMatches is Python's fnmatch.
func globMatches(pattern, s string) bool { return globOn([]rune(pattern), []rune(s)) }

func globOn(p, s []rune) bool {
	for len(p) > 0 {
		switch p[0] {
		case '*':
			for i := range len(s) + 1 {
				if globOn(p[1:], s[i:]) {
					return true
				}
			}
			return false
		case '[':
			if end := setEnd(p); end > 0 {
				if len(s) == 0 || !inSet(p[1:end], s[0]) {
					return false
				}
				p, s = p[end+1:], s[1:]
				continue
			}
		}
		if len(s) == 0 || p[0] != '?' && p[0] != s[0] {
			return false
		}
		p, s = p[1:], s[1:]
	}
	return len(s) == 0
}

// setEnd returns the end of a set of characters, or 0 without one.
func setEnd(p []rune) int {
	i := 1
	if i < len(p) && p[i] == '!' {
		i++
	}
	if i < len(p) && p[i] == ']' {
		i++
	}
	for ; i < len(p); i++ {
		if p[i] == ']' {
			return i
		}
	}
	return 0
}

// inSet looks a character up in a set. A range whose end comes before its begin is empty.
func inSet(set []rune, c rune) bool {
	not := len(set) > 0 && set[0] == '!'
	if not {
		set = set[1:]
	}
	hit := false
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			hit = hit || set[i] <= c && c <= set[i+2]
			i += 2
			continue
		}
		hit = hit || set[i] == c
	}
	return hit != not
}

func cached[T any](m *sync.Map, key string, make func() T) T {
	if v, ok := m.Load(key); ok {
		return v.(T)
	}
	v := make()
	m.Store(key, v)
	return v
}

var (
	expressions sync.Map
	// wrong is what Python does not compile: a repetition of nothing or of a position, flags
	// that are not at the start, a name twice.
	wrong = regexp.MustCompile(`(^|[|(])(\?:)?[{][0-9]*,?[0-9]*[}]|\\[ZbB][?*+{]|.\(\?[ix]+\)`)
	// openBrace is {,n}: none to n there.
	openBrace = regexp.MustCompile(`\{,(\d+)\}`)
)

// reMatches is Python's re.match.
func reMatches(pattern, s string) bool {
	re := compiled(pattern)
	if re == nil {
		return false
	}
	ok, err := re.MatchString(s)
	return ok && err == nil
}

func compiles(pattern string) bool { return compiled(pattern) != nil }

func compiled(pattern string) *regexp2.Regexp {
	return cached(&expressions, pattern, func() *regexp2.Regexp {
		if wrong.MatchString(pattern) || strings.Count(pattern, "(?P<n>") > 1 {
			return nil
		}
		p := openBrace.ReplaceAllString(pattern, "{0,$1}")
		p = strings.NewReplacer("{,}", "*", `\Z`, `\z`, "(?P<", "(?<", "[[", `[\[`).Replace(p)
		re, err := regexp2.Compile(`\A(?:`+p+`)`, regexp2.None)
		if err != nil {
			return nil
		}
		re.MatchTimeout = time.Second
		return re
	})
}

func equalMatches(pattern, s string) bool { return pattern == s }

// dataMatches looks a path with a pattern at its end up in grains or pillar. Any delimiter
// may be the one between the two.
func dataMatches(data any, text, delimiter string, match func(pattern, s string) bool) bool {
	parts := strings.Split(text, delimiter)
	for i := len(parts) - 1; i > 0; i-- {
		key, rest := strings.Join(parts[:i], delimiter), strings.Join(parts[i:], delimiter)
		if key == "*" {
			if mapMatches(data, text, match) {
				return true
			}
			continue
		}
		if found, ok := lookUp(data, parts[:i]); ok && foundMatches(found, rest, match) {
			return true
		}
	}
	return false
}

func lookUp(data any, keys []string) (any, bool) {
	for _, k := range keys {
		switch d := data.(type) {
		case *wire.Map:
			v, ok := d.Get(k)
			if !ok {
				return nil, false
			}
			data = v
		case []any:
			i := strings.IndexByte("0123456789", (k + "x")[0])
			if len(k) != 1 || i < 0 || i >= len(d) {
				return nil, false
			}
			data = d[i]
		default:
			return nil, false
		}
	}
	return data, true
}

func foundMatches(v any, pattern string, match func(pattern, s string) bool) bool {
	switch v := v.(type) {
	case *wire.Map:
		return v.Len() > 0 && mapMatches(v, pattern, match)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool {
			if m, ok := e.(*wire.Map); ok && mapMatches(m, pattern, match) {
				return true
			}
			return scalarMatches(e, pattern, match)
		})
	}
	return scalarMatches(v, pattern, match)
}

func scalarMatches(v any, pattern string, match func(pattern, s string) bool) bool {
	return match(strings.ToLower(pattern), strings.ToLower(pyfmt.Str(v)))
}

// mapMatches compares the keys of a mapping, what is below them, and after *: its values.
func mapMatches(data any, pattern string, match func(pattern, s string) bool) bool {
	m, ok := data.(*wire.Map)
	if !ok {
		return false
	}
	pattern, deep := strings.CutPrefix(pattern, "*:")
	if pattern == "*" {
		return true
	}
	if slices.ContainsFunc(m.Keys(), func(k any) bool { return k == any(pattern) || scalarMatches(k, pattern, match) }) {
		return true
	}
	if dataMatches(m, pattern, ":", match) {
		return true
	}
	if !deep {
		return false
	}
	hit := false
	m.Range(func(_, v any) bool {
		switch v := v.(type) {
		case *wire.Map:
			hit = mapMatches(v, pattern, match)
		case []any:
			hit = slices.ContainsFunc(v, func(e any) bool { return scalarMatches(e, pattern, match) })
		default:
			hit = scalarMatches(v, pattern, match)
		}
		return !hit
	})
	return hit
}

// addressMatches holds addresses against an address or a network.
func addressMatches(text string, have []any) bool {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.Is4() && slices.Contains(have, any(text))
	}
	n, err := netip.ParsePrefix(text)
	if err != nil || n != n.Masked() || !n.Addr().Is4() {
		return false
	}
	return slices.ContainsFunc(have, func(v any) bool {
		s, _ := v.(string)
		a, err := netip.ParseAddr(s)
		return err == nil && n.Contains(a)
	})
}
