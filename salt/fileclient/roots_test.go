package fileclient

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRootsArePatterns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	all, none := filepath.Join(dir, "*"), filepath.Join(dir, "x*")
	got := Roots(map[string]any{"base": []any{"/srv/salt", all}, "dev": all, "qa": []string{none}})
	want := map[string][]string{
		"base": {"/srv/salt", filepath.Join(dir, "a"), filepath.Join(dir, "b")},
		"dev":  {filepath.Join(dir, "a"), filepath.Join(dir, "b")},
		"qa":   {none},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
