package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	if err := write(&page, filepath.Join("..", "..", "config")); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference", "options.md"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(page.String(), "\n")); d != "" {
		t.Errorf("docs/reference/options.md is out of date; run `go run ./internal/tools/optionspage > docs/reference/options.md`\n%s", d)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		def, comment string
		want         option
	}{
		{"5", "Wait is how long\nit waits. Default 5.", option{meaning: "is how long it waits."}},
		{"", "Wait is a text. Default none.", option{meaning: "is a text."}},
		{"7", "Wait is ours. Ours. Default 7.", option{meaning: "is ours.", ours: true}},
		{"", "Wait is guessed. Default: the host name.", option{meaning: "is guessed. Default: the host name."}},
		{"1", "Wait is long. Default 1 (one).", option{meaning: "is long. Default 1 (one)."}},
	} {
		o := option{def: c.def}
		o.explain("Wait", c.comment)
		c.want.def = c.def
		if o != c.want {
			t.Errorf("%q: %+v, want %+v", c.comment, o, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := read(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder without options: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(dir); err == nil {
		t.Error("a file that is no Go")
	}
}
