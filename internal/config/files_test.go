package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files writes a configuration directory: name, content, name, content...
func files(t *testing.T, kv ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(kv); i += 2 {
		p := filepath.Join(dir, kv[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(kv[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// machine returns a host whose name is known.
func machine(name string) host {
	return host{
		name:      func() (string, error) { return name, nil },
		etc:       "does/not/exist",
		hostsFile: "/does/not/exist",
		canonical: func(string) string { return "" },
	}
}

func master(t *testing.T, kv ...string) (*Master, []Warning) {
	t.Helper()
	m, w, err := loadMaster(files(t, kv...), machine("h.example"))
	if err != nil {
		t.Fatal(err)
	}
	return m, w
}

func minion(t *testing.T, kv ...string) (*Minion, []Warning) {
	t.Helper()
	m, w, err := loadMinion(files(t, kv...), machine("h.example"), false)
	if err != nil {
		t.Fatal(err)
	}
	return m, w
}

// faults returns all faults in an error as "file:line: text", without directories.
func faults(t *testing.T, err error) []string {
	t.Helper()
	var out []string
	if err == nil {
		return out
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("error %v does not hold many", err)
	}
	for _, e := range many.Unwrap() {
		var f *Fault
		if !errors.As(e, &f) {
			t.Fatalf("%v is no Fault", e)
		}
		out = append(out, strings.ReplaceAll(f.Error(), filepath.Dir(f.File)+"/", ""))
	}
	return out
}

func warningTexts(ws []Warning) []string {
	var out []string
	for _, w := range ws {
		out = append(out, strings.ReplaceAll(w.String(), filepath.Dir(w.File)+"/", ""))
	}
	return out
}
