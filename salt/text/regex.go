package text

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/salt/pyfmt"
)

// Bounds on regular expressions: their length in bytes, and the time of one search.
const (
	maxPattern    = 64 << 10
	searchTimeout = 10 * time.Second
)

// Regex is a regular expression of Python's re.
type Regex struct {
	re *regexp2.Regexp
	// names maps names of groups to their numbers.
	names map[string]int
}

// Compile compiles a regular expression of Python's re. flags are a name such as MULTILINE,
// a list of names, or a number as in Python; nil means MULTILINE.
func Compile(pattern string, flags any) (*Regex, error) {
	if len(pattern) > maxPattern {
		return nil, refuse("the regular expression has %d bytes; at most %d are taken", len(pattern), maxPattern)
	}
	opts, err := regexFlags(flags)
	if err != nil {
		return nil, err
	}
	p := translation{in: pattern, names: map[string]int{}, verbose: opts&regexp2.IgnorePatternWhitespace != 0}
	if err := p.run(); err != nil {
		return nil, refuse("regular expression %s: %v", pyfmt.Repr(pattern), err)
	}
	re, err := regexp2.Compile(p.out.String(), opts)
	if err != nil {
		return nil, refuse("regular expression %s: %v", pyfmt.Repr(pattern), err)
	}
	re.MatchTimeout = searchTimeout
	return &Regex{re: re, names: p.names}, nil
}

// Match reports whether a text has a match. It returns an error if the search takes too
// long.
func (r *Regex) Match(s string) (bool, error) { return r.re.MatchString(s) }

// Quote returns a regular expression that matches exactly a text, whatever the flags.
func Quote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("()[]{}?*+-|^$\\.&~# \t\n\r\v\f", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// regexFlags parses flags.
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
	case int:
		return regexFlags(int64(v))
	case int64:
		for bit, opt := range bits {
			if v&bit != 0 {
				opts |= opt
				v &^= bit
			}
		}
		if v != 0 {
			return 0, refuse("the flags of a regular expression have bits that are not known: %d", v)
		}
		return opts, nil
	case string:
		return regexFlags([]any{v})
	case []any:
		for _, e := range v {
			opt, ok := names[strings.ToUpper(pyfmt.Str(e))]
			if !ok {
				return 0, refuse("Invalid re flag given: %s", pyfmt.Str(e))
			}
			opts |= opt
		}
		return opts, nil
	}
	return 0, refuse(`Invalid re flags: "%s", must be given either as a single flag string, a list of strings, as an integer, or as an re flag`, pyfmt.Str(v))
}

// translation translates a regular expression of Python to the library's dialect. That
// numbers named groups after all others, and has some escapes that Python lacks.
type translation struct {
	in      string
	out     strings.Builder
	groups  int
	names   map[string]int
	class   bool
	verbose bool
}

const (
	escapesOutside = "AbBdDsSwWZafnrtvxu0123456789"
	escapesInside  = "bdDsSwWafnrtvxu0123456789"
)

func (p *translation) run() error {
	for i := 0; i < len(p.in); {
		n, err := p.step(p.in[i:])
		if err != nil {
			return fmt.Errorf("%w at position %d", err, i)
		}
		i += n
	}
	return nil
}

var (
	namedGroup = regexp.MustCompile(`^\(\?P<([^>]*)>`)
	namedRef   = regexp.MustCompile(`^\(\?P=([^)]*)\)`)
	condition  = regexp.MustCompile(`^\(\?\(([^)]*)\)`)
	inline     = regexp.MustCompile(`^\(\?[a-zA-Z]*x[a-zA-Z]*[):]`)
	upTo       = regexp.MustCompile(`^\{,(\d+)\}`)
	identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)
)

// step translates the next part of rest and returns its length in bytes.
func (p *translation) step(rest string) (int, error) {
	switch {
	case rest[0] == '\\':
		return p.escape(rest)
	case p.class:
		p.class = rest[0] != ']'
	case rest[0] == '[':
		p.class = true
		n := 1
		if strings.HasPrefix(rest[n:], "^") {
			n++
		}
		if strings.HasPrefix(rest[n:], "]") {
			p.out.WriteString(rest[:n] + `\]`)
			return n + 1, nil
		}
		return p.copy(rest, n), nil
	case rest[0] == '#' && p.verbose:
		line, _, _ := strings.Cut(rest, "\n")
		return len(line), nil
	case rest[0] == '(':
		return p.open(rest)
	case rest[0] == '{':
		if m := upTo.FindStringSubmatch(rest); m != nil {
			p.out.WriteString("{0," + m[1] + "}")
			return len(m[0]), nil
		}
	}
	return p.copy(rest, 1), nil
}

func (p *translation) copy(rest string, n int) int {
	p.out.WriteString(rest[:n])
	return n
}

func (p *translation) escape(rest string) (int, error) {
	if len(rest) == 1 {
		return 0, refuse("bad escape (end of pattern)")
	}
	known := escapesOutside
	if p.class {
		known = escapesInside
	}
	switch c := rest[1]; {
	case c == 'Z' && !p.class:
		p.out.WriteString(`\z`)
	case c == '_' || c >= 0x80:
		p.out.WriteByte(c)
	case (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') && !strings.ContainsRune(known, rune(c)):
		return 0, refuse(`bad escape \%c`, c)
	default:
		p.out.WriteString(rest[:2])
	}
	return 2, nil
}

// open translates the start of a group and returns its length.
func (p *translation) open(rest string) (int, error) {
	if !strings.HasPrefix(rest, "(?") {
		p.groups++
		return p.copy(rest, 1), nil
	}
	if m := namedGroup.FindStringSubmatch(rest); m != nil {
		p.groups++
		switch _, twice := p.names[m[1]]; {
		case !identifier.MatchString(m[1]):
			return 0, refuse("bad character in group name %s", pyfmt.Repr(m[1]))
		case twice:
			return 0, refuse("redefinition of group name %s", pyfmt.Repr(m[1]))
		}
		p.names[m[1]] = p.groups
		p.out.WriteByte('(')
		return len(m[0]), nil
	}
	if m := namedRef.FindStringSubmatch(rest); m != nil {
		n, ok := p.names[m[1]]
		if !ok {
			return 0, refuse("unknown group name %s", pyfmt.Repr(m[1]))
		}
		fmt.Fprintf(&p.out, `(?:\%d)`, n)
		return len(m[0]), nil
	}
	if m := condition.FindStringSubmatch(rest); m != nil {
		if n, ok := p.names[m[1]]; ok {
			m[1] = fmt.Sprint(n)
		}
		p.out.WriteString("(?(" + m[1] + ")")
		return len(m[0]), nil
	}
	switch {
	case strings.HasPrefix(rest, "(?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return 0, refuse("missing ), unterminated comment")
		}
		return end + 1, nil
	case strings.HasPrefix(rest, "(?<") && !strings.HasPrefix(rest, "(?<=") && !strings.HasPrefix(rest, "(?<!"), strings.HasPrefix(rest, "(?'"):
		return 0, refuse("unknown extension %.3s", rest)
	}
	p.verbose = p.verbose || inline.MatchString(rest)
	return p.copy(rest, 2), nil
}
