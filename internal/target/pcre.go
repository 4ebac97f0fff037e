package target

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2"
)

// Bounds on regular expressions. A pattern that Go's linear engine cannot run
// (look-around, back references) goes to a backtracking one; it gets
// backtrackTimeout for one text, and after maxTimeouts of those the pattern
// matches nothing more.
const (
	maxPattern       = 64 << 10
	backtrackTimeout = 100 * time.Millisecond
	maxTimeouts      = 10
)

// pcre is a pattern with the meaning of Python's re.match: it matches at the
// start of the text and need not reach its end.
type pcre struct {
	fast     *regexp.Regexp // nil: only slow can run it
	unicode  bool           // \w, \d, \s or \b: their meaning differs beyond ASCII
	slow     func() (*regexp2.Regexp, error)
	timeouts *atomic.Int32
}

func compilePCRE(pattern string) (*pcre, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the regular expression has %d bytes; at most %d are taken", len(pattern), maxPattern)
	}
	p := &pcre{timeouts: new(atomic.Int32)}
	p.slow = sync.OnceValues(func() (*regexp2.Regexp, error) {
		re, err := regexp2.Compile(`\A(?:`+dialect(pattern, true)+`)`, regexp2.None)
		if err == nil {
			re.MatchTimeout = backtrackTimeout
		}
		return re, err
	})
	for _, class := range []string{`\w`, `\d`, `\s`, `\b`, `\W`, `\D`, `\S`, `\B`, `(?i`} {
		p.unicode = p.unicode || strings.Contains(pattern, class)
	}
	re, err := regexp.Compile(`\A(?:` + dialect(pattern, false) + `)`)
	if err == nil {
		p.fast = re
		return p, nil
	}
	if _, slowErr := p.slow(); slowErr != nil {
		return nil, fmt.Errorf("regular expression %q: %s", pattern, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return p, nil
}

func (p *pcre) match(s string) bool {
	if p.fast != nil && !(p.unicode && !ascii(s)) {
		return p.fast.MatchString(s)
	}
	re, err := p.slow()
	if err != nil {
		return p.fast != nil && p.fast.MatchString(s)
	}
	if p.timeouts.Load() >= maxTimeouts {
		return false
	}
	ok, err := re.MatchString(s)
	if err != nil {
		p.timeouts.Add(1)
	}
	return ok && err == nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// dialect rewrites what Python spells otherwise: \Z is the very end, $ also
// stands before a last newline, named groups are (?P<n>) and (?P=n).
func dialect(p string, backtracking bool) string {
	multiline := strings.Contains(p, "m") && inlineM(p)
	var b strings.Builder
	inClass := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\' && i+1 < len(p):
			i++
			if p[i] == 'Z' && !inClass {
				b.WriteString(`\z`)
				continue
			}
			b.WriteByte(c)
			b.WriteByte(p[i])
			continue
		case inClass:
			inClass = c != ']'
			if c == '[' && backtracking { // no nested classes in Python
				b.WriteByte('\\')
			}
		case c == '[':
			inClass = true
			b.WriteByte(c)
			if i+1 < len(p) && p[i+1] == '^' {
				i++
				b.WriteByte('^')
			}
			if i+1 < len(p) && p[i+1] == ']' {
				i++
				b.WriteString(`\]`)
			}
			continue
		case c == '$' && !backtracking && !multiline:
			b.WriteString(`(?:\n?\z)`)
			continue
		case backtracking && strings.HasPrefix(p[i:], "(?P<"):
			b.WriteString("(?<")
			i += 3
			continue
		case backtracking && strings.HasPrefix(p[i:], "(?P="):
			if end := strings.IndexByte(p[i:], ')'); end > 0 {
				b.WriteString(`\k<` + p[i+4:i+end] + `>`)
				i += end
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

var inlineFlag = regexp.MustCompile(`\(\?[a-zA-Z]*m`)

func inlineM(p string) bool { return inlineFlag.MatchString(p) }
