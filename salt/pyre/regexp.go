package pyre

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"unicode"
)

// maxPattern bounds a pattern in bytes. After maxSpent texts that reached the step limit, a
// pattern is not run by backtracking again.
const (
	maxPattern = 64 << 10
	maxSpent   = 10
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	tree   []*node
	groups int
	fast   *regexp.Regexp // nil: only backtracking can run it
	shape  emitter        // which texts fast reads differently
	spent  *atomic.Int32
}

// Compile compiles a pattern.
func Compile(pattern string) (*Regexp, error) { return compile(pattern, false) }

// CompileWhole compiles a pattern that has to match a whole text.
func CompileWhole(pattern string) (*Regexp, error) { return compile(pattern, true) }

func compile(pattern string, whole bool) (*Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the regular expression has %d bytes; at most %d are accepted", len(pattern), maxPattern)
	}
	tree, p, err := parse(pattern)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", pattern, err)
	}
	if whole {
		tree = append(tree[:len(tree):len(tree)], &node{op: opAt, at: atEnd})
	}
	re := &Regexp{tree: tree, groups: p.groups, spent: new(atomic.Int32)}
	re.shape.sequence(tree)
	if re.shape.irregular {
		return re, nil
	}
	if fast, err := regexp.Compile(`\A(?:` + re.shape.out.String() + `)`); err == nil { // it may be too large for Go
		re.fast = fast
	}
	re.shape.out = strings.Builder{}
	return re, nil
}

// Match reports whether the pattern matches at the start of a text. known is false if
// backtracking reached its step limit, so that the result is unknown.
func (re *Regexp) Match(text string) (ok, known bool) {
	if re.fast != nil && !re.reads(text) {
		return re.fast.MatchString(text), true
	}
	if re.spent.Load() >= maxSpent {
		return false, false
	}
	m := newMachine(text, re.groups)
	ok = m.sequence(re.tree, 0, matched)
	if m.spent {
		re.spent.Add(1)
		//mutant:target-pcre-bound
		return false, false
	}
	return ok, true
}

// reads reports whether Go's engine would read a text differently.
func (re *Regexp) reads(text string) bool {
	return re.shape.newline && strings.HasSuffix(text, "\n") || re.shape.empty && text == "" || re.shape.word && !ascii(text)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
