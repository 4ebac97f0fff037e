package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakes are fake programs of a host. They log each call as NAME [word] [word] …, so that
// tests see the words of a call separately.
type fakes struct {
	t   *testing.T
	dir string
}

// withFakes puts fake programs, shell scripts by name, first in PATH.
func withFakes(t *testing.T, programs map[string]string) *fakes {
	t.Helper()
	f := &fakes{t, t.TempDir()}
	t.Setenv("PATH", f.dir+":"+os.Getenv("PATH"))
	for name, body := range programs {
		text := "#!/bin/sh\nhere=" + f.dir + "\n{ printf '" + name + "'; for w in \"$@\"; do printf ' [%s]' \"$w\"; done; echo; } >> $here/calls\n" + body + "\n"
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// put writes a file that the programs read as $here/NAME.
func (f *fakes) put(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// called returns the calls with a prefix, and clears the log.
func (f *fakes) called(prefix string) []string {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(f.dir, "calls"))
	var out []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, prefix) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}
