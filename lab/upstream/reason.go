package upstream

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// Kind is why a test fails.
type Kind string

// The kinds of reasons.
const (
	Ours    Kind = "ours to fix"
	Python  Kind = "needs Python in the daemon"
	Salt    Kind = "fails with Salt too"
	Design  Kind = "differs by design"
	Machine Kind = "needs what the machine lacks"
)

var kinds = []Kind{Ours, Python, Salt, Design, Machine}

// Reason says why tests fail.
type Reason struct {
	Tests string // a pattern of [path.Match] for names of tests
	Cast  string // one cast; "*": all
	Kind  Kind
	Text  string
}

// ReadReasons reads the table of reasons: tests, cast, kind and text, with tabs between them.
// Lines that begin with # are comments.
func ReadReasons(file string) ([]Reason, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read reasons: %w", err)
	}
	var out []Reason
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s:%d: has %d fields, want 4", file, i+1, len(f))
		}
		r := Reason{Tests: f[0], Cast: f[1], Kind: Kind(f[2]), Text: f[3]}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (r Reason) check() error {
	if _, err := path.Match(plain(r.Tests), ""); err != nil {
		return fmt.Errorf("pattern %q: %w", r.Tests, err)
	}
	for _, k := range kinds {
		if k == r.Kind {
			return nil
		}
	}
	return fmt.Errorf("kind %q is unknown", r.Kind)
}

// For reports whether the reason is one for a test with a cast. Brackets in the name of a test
// are read as they are.
func (r Reason) For(cast, test string) bool {
	if r.Cast != "*" && r.Cast != cast {
		return false
	}
	ok, err := path.Match(plain(r.Tests), plain(test))
	return ok && err == nil
}

// plain replaces what path.Match gives a meaning that names of tests do not have.
func plain(name string) string {
	return strings.NewReplacer("[", "<", "]", ">", "/", "|", `\`, "|").Replace(name)
}

// Find returns the first reason for a test with a cast.
func Find(reasons []Reason, cast, test string) (Reason, bool) {
	for _, r := range reasons {
		if r.For(cast, test) {
			return r, true
		}
	}
	return Reason{}, false
}
