package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.org/m\n\ngo 1.26\n",
		"a.go":             "package m\n\nimport \"example.org/m/sub\"\n\nvar A = lock() + sub.B\n",
		"lock_linux.go":    "package m\n\nfunc lock() int { return 1 }\n",
		"sub/b.go":         "package sub\n\nconst B = 1\n",
		"sub/b_windows.go": "package sub\n\nconst B = 2\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for system, want := range map[string][]string{
		"linux/amd64":   nil,
		"darwin/arm64":  {"undefined: lock"},
		"windows/amd64": {"B redeclared", "other declaration of B", "undefined: lock"},
	} {
		faults, checked, err := check(system, []string{"./..."})
		if err != nil || checked != 2 || len(faults) != len(want) {
			t.Fatalf("%s: faults %v in %d packages, error %v; want %q in 2", system, faults, checked, err, want)
		}
		for i, f := range faults {
			if !strings.Contains(f.Error(), want[i]) {
				t.Errorf("%s: fault %v, want %q", system, f, want[i])
			}
		}
	}
}

func TestCheck_OfNoSystem(t *testing.T) {
	for _, system := range []string{"linux", "linux/z80", "plan10/amd64"} {
		if _, _, err := check(system, []string{"."}); err == nil {
			t.Errorf("check(%q) gives no error", system)
		}
	}
}
