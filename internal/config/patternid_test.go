package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An id that is a pattern works as in Salt, and is reported.
func TestLoadMinion_PatternAsID(t *testing.T) {
	for id, warned := range map[string]bool{"web-01": false, "x*": true, "a?": true, "[ab]": true, "a b": false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "minion"), []byte("id: '"+id+"'\nroot_dir: "+dir+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m, warnings, err := LoadMinion(dir)
		if err != nil || m.ID != id {
			t.Fatalf("%s: %v", id, err)
		}
		got := false
		for _, w := range warnings {
			got = got || w.Option == "id" && strings.Contains(w.Text, "is a pattern in targets")
		}
		if got != warned {
			t.Errorf("%q: %v", id, warnings)
		}
	}
}
