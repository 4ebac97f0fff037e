package states

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Bounds on regular expressions of states: their length in bytes, and how long one may
// search.
const (
	maxPattern    = 64 << 10
	searchTimeout = 10 * time.Second
)

// compileRegex compiles a regular expression of Python's re; flags are names such as
// MULTILINE, or a number of Python's.
func compileRegex(pattern string, flags any) (*regexp2.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the regular expression has %d bytes; at most %d are taken", len(pattern), maxPattern)
	}
	opts, err := regexFlags(flags)
	if err != nil {
		return nil, err
	}
	p := strings.NewReplacer("(?P<", "(?<", `\\`, `\\`, `\Z`, `\z`).Replace(pattern)
	re, err := regexp2.Compile(p, opts)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	re.MatchTimeout = searchTimeout
	return re, nil
}

// regexFlags reads the option flags.
func regexFlags(v any) (regexp2.RegexOptions, error) {
	var opts regexp2.RegexOptions
	names := map[string]regexp2.RegexOptions{
		"MULTILINE": regexp2.Multiline, "M": regexp2.Multiline, "IGNORECASE": regexp2.IgnoreCase, "I": regexp2.IgnoreCase,
		"DOTALL": regexp2.Singleline, "S": regexp2.Singleline, "VERBOSE": regexp2.IgnorePatternWhitespace, "X": regexp2.IgnorePatternWhitespace,
		"UNICODE": 0, "U": 0,
	}
	bits := map[int64]regexp2.RegexOptions{2: regexp2.IgnoreCase, 8: regexp2.Multiline, 16: regexp2.Singleline, 32: 0, 64: regexp2.IgnorePatternWhitespace}
	switch v := v.(type) {
	case nil:
		return regexp2.Multiline, nil
	case int64:
		for bit, opt := range bits {
			if v&bit != 0 {
				opts |= opt
				v &^= bit
			}
		}
		if v != 0 {
			return 0, fmt.Errorf("the flags of a regular expression have bits that are not known: %d", v)
		}
		return opts, nil
	case string:
		return regexFlags([]any{v})
	case []any:
		for _, e := range v {
			opt, ok := names[strings.ToUpper(pystr(e))]
			if !ok {
				return 0, fmt.Errorf("the flag %s of a regular expression is not known", pystr(e))
			}
			opts |= opt
		}
		return opts, nil
	}
	return 0, fmt.Errorf("the flags of a regular expression are names or a number, not %s", pystr(v))
}

// substitute replaces what re matches, at most count times (0: all), by Python's rules
// for \1, \g<name> and escapes; literal takes repl as it is.
func substitute(re *regexp2.Regexp, repl, text string, count int, literal bool) (out string, n int, err error) {
	if count <= 0 {
		count = -1
	}
	var bad error
	out, err = re.ReplaceFunc(text, func(m regexp2.Match) string {
		n++
		if literal {
			return repl
		}
		s, err := expandTemplate(repl, &m)
		if err != nil && bad == nil {
			bad = err
		}
		return s
	}, -1, count)
	if err == nil {
		err = bad
	}
	return out, n, err
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'a': "\a", 'b': "\b", 'f': "\f", 'v': "\v", '\\': `\`}

// expandTemplate fills in the replacement for one match.
func expandTemplate(repl string, m *regexp2.Match) (string, error) {
	var b strings.Builder
	for i := 0; i < len(repl); i++ {
		if repl[i] != '\\' || i+1 == len(repl) {
			b.WriteByte(repl[i])
			continue
		}
		i++
		switch c := repl[i]; {
		case c >= '1' && c <= '9':
			j := i + 1
			if j < len(repl) && repl[j] >= '0' && repl[j] <= '9' {
				j++
			}
			n, _ := strconv.Atoi(repl[i:j])
			g := m.GroupByNumber(n)
			if g == nil {
				return "", fmt.Errorf("invalid group reference %d in the replacement %q", n, repl)
			}
			b.WriteString(g.String())
			i = j - 1
		case c == 'g' && i+1 < len(repl) && repl[i+1] == '<':
			end := strings.IndexByte(repl[i:], '>')
			if end < 0 {
				return "", fmt.Errorf("missing > in the replacement %q", repl)
			}
			name := repl[i+2 : i+end]
			g := m.GroupByName(name)
			if n, err := strconv.Atoi(name); err == nil {
				g = m.GroupByNumber(n)
			}
			if g == nil {
				return "", fmt.Errorf("unknown group name %q in the replacement %q", name, repl)
			}
			b.WriteString(g.String())
			i += end
		case escapes[c] != "":
			b.WriteString(escapes[c])
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return "", fmt.Errorf("bad escape \\%c in the replacement %q", c, repl)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}
