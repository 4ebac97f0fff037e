package files

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
)

// TestMatch: expressions are searched, patterns match as a whole; one that takes too long
// hides.
func TestMatch(t *testing.T) {
	c := config.DefaultMaster()
	c.FileIgnoreGlob, c.FileIgnoreRegex = []string{"*.bak", "a/[0-9]"}, []string{`/\.svn($|/)`, `^(?!z)(x+x+)+y$`}
	r, err := NewIgnoreRules(c)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"a/b.bak": true, "a/7": true, "w/.svn": true, "w/.svn/entries": true, "a/b": false, ".svn": false, "x.bak/y": false,
		strings.Repeat("x", 40): true, // it cannot be told in time
	} {
		if got := r.Match(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if (*IgnoreRules)(nil).Match("a") {
		t.Error("nothing is ignored without rules")
	}
}
