package files

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
)

// TestMatch: expressions match anywhere, patterns match the whole path; one that takes too long
// ignores the path.
func TestMatch(t *testing.T) {
	c := config.DefaultMaster()
	c.FileIgnoreGlob, c.FileIgnoreRegex = []string{"*.bak", "a/[0-9]"}, []string{`/\.svn($|/)`, `^(?!z)(x+x+)+y$`}
	r, err := NewIgnoreRules(c)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"a/b.bak": true, "a/7": true, "w/.svn": true, "w/.svn/entries": true, "a/b": false, ".svn": false, "x.bak/y": false,
		strings.Repeat("x", 40): true, // the match times out
	} {
		if got := r.Match(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if (*IgnoreRules)(nil).Match("a") {
		t.Error("nothing is ignored without rules")
	}
}
