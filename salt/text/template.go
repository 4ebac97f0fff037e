package text

import (
	"strconv"
	"strings"

	"github.com/dlclark/regexp2"

	"github.com/momtree/mom/salt/pyfmt"
)

// Replace replaces at most count matches in a text: 0 means all, a negative number none.
// repl follows Python's rules for \1, \g<name> and escapes; with literal it is used as it
// is. n is the number of replaced matches.
func (r *Regex) Replace(repl, s string, count int, literal bool) (out string, n int, err error) {
	if !literal {
		// Python parses it before the search, so a fault is reported without a match too.
		if _, err := r.fill(repl, nil); err != nil {
			return "", 0, err
		}
	}
	if count < 0 {
		return s, 0, nil
	}
	if count == 0 {
		count = -1
	}
	var bad error
	out, err = r.re.ReplaceFunc(s, func(m regexp2.Match) string {
		n++
		if literal {
			return repl
		}
		s, err := r.fill(repl, &m)
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

// fill expands the replacement for one match; without a match it only checks it.
func (r *Regex) fill(repl string, m *regexp2.Match) (string, error) {
	var b strings.Builder
	for i := 0; i < len(repl); {
		if repl[i] != '\\' {
			b.WriteByte(repl[i])
			i++
			continue
		}
		n, err := r.fillEscape(&b, repl[i:], m)
		if err != nil {
			return "", refuse("%v at position %d of the replacement %s", err, i, pyfmt.Repr(repl))
		}
		i += n
	}
	return b.String(), nil
}

// fillEscape writes the value of an escape and returns its length.
func (r *Regex) fillEscape(b *strings.Builder, rest string, m *regexp2.Match) (int, error) {
	if len(rest) == 1 {
		return 0, refuse("bad escape (end of pattern)")
	}
	switch c := rest[1]; {
	case c >= '0' && c <= '9':
		return r.fillDigits(b, rest, m)
	case c == 'g':
		end := strings.IndexByte(rest, '>')
		if !strings.HasPrefix(rest, `\g<`) {
			return 0, refuse("missing <")
		}
		if end < 0 {
			return 0, refuse("missing >, unterminated name")
		}
		name := rest[3:end]
		n, known := r.names[name]
		if k, err := strconv.Atoi(name); err == nil && !known {
			n, known = k, true
		}
		if !known {
			return 0, refuse("unknown group name %s", pyfmt.Repr(name))
		}
		return end + 1, r.group(b, n, m)
	case escapes[c] != "":
		b.WriteString(escapes[c])
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return 0, refuse(`bad escape \%c`, c)
	default:
		b.WriteString(rest[:2])
	}
	return 2, nil
}

// fillDigits writes a character given in octal, or a group.
func (r *Regex) fillDigits(b *strings.Builder, rest string, m *regexp2.Match) (int, error) {
	octal := 1
	for octal < min(len(rest), 4) && rest[octal] >= '0' && rest[octal] <= '7' {
		octal++
	}
	if rest[1] == '0' {
		octal = min(octal, 4)
	} else if octal < 4 {
		octal = 0
	}
	if octal > 0 {
		code, err := strconv.ParseUint(rest[1:octal], 8, 16)
		if err != nil || code > 0o377 {
			return 0, refuse("octal escape value %s outside of range 0-0o377", rest[:octal])
		}
		b.WriteRune(rune(code))
		return octal, nil
	}
	end := 2
	if len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9' {
		end = 3
	}
	n, _ := strconv.Atoi(rest[1:end])
	return end, r.group(b, n, m)
}

func (r *Regex) group(b *strings.Builder, n int, m *regexp2.Match) error {
	if n < 0 || n >= len(r.re.GetGroupNumbers()) {
		return refuse("invalid group reference %d", n)
	}
	if m != nil {
		b.WriteString(m.GroupByNumber(n).String())
	}
	return nil
}
