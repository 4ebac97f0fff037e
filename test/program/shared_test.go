package program

import (
	"os"
	"path/filepath"
	"testing"
)

// A program is shared if it was built before the tests and the test asks for no mutant.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mom")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, sum, flags, name, want string }{
		{dir, "1", "-buildvcs=false", "mom", file},
		{dir, "1", "", "momlab", ""},
		{dir, "", "", "mom", ""},
		{"", "1", "", "mom", ""},
		{dir, "1", "-v -overlay=x.json", "mom", ""},
	} {
		t.Setenv(sharedDir, c.dir)
		t.Setenv(sharedSum, c.sum)
		t.Setenv("GOFLAGS", c.flags)
		if got := Shared(c.name); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
