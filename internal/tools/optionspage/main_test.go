package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPageIsUpToDate(t *testing.T) {
	var page bytes.Buffer
	root := filepath.Join("..", "..", "..")
	if err := write(&page, filepath.Join(root, "internal", "config"), filepath.Join(root, "master", "auth")); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(root, pagePath))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(have), "\n"), strings.Split(page.String(), "\n")); d != "" {
		t.Errorf("%s is out of date; run `go run ./internal/tools/optionspage > %[1]s`\n%s", pagePath, d)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllSubmatch(have, -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.Dir(pagePath), string(link[1]))); err != nil {
			t.Errorf("link to a page: %v", err)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		def, comment string
		want         option
	}{
		{"5", "Wait is the time\nit waits.", option{meaning: "Time it waits."}},
		{"5", "Wait are names.", option{meaning: "Names."}},
		{"", "Wait is a map of words.", option{meaning: "Map of words."}},
		{"", "Wait is the same.", option{meaning: "The same."}},
		{"true", "Wait controls whether it waits.", option{meaning: "Whether it waits."}},
		{"7", "Wait is ours. Not in Salt.", option{meaning: "Ours.", ours: true}},
		{"", "Wait is guessed. Not in Salt. Default: the host name.", option{meaning: "Guessed.", ours: true, def: "the host name", computed: true}},
	} {
		o := option{def: c.def}
		if err := o.explain("Wait", c.comment); err != nil {
			t.Errorf("%q: %v", c.comment, err)
		}
		if c.want.def == "" {
			c.want.def = c.def
		}
		if !reflect.DeepEqual(o, c.want) {
			t.Errorf("%q: %+v, want %+v", c.comment, o, c.want)
		}
	}
	for def, comment := range map[string]string{
		"1": "Wait waits.", "2": "Waiting is long.", "3": "Wait is long", "4": "", "5": "Wait is long. Default: 5.",
	} {
		if err := (&option{def: def}).explain("Wait", comment); err == nil || !strings.Contains(err.Error(), "Wait") {
			t.Errorf("%q: %v", comment, err)
		}
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		o             option
		text, defText string
	}{
		{option{meaning: "Limit with log_level."}, "Limit with `log_level`.", ""},
		{option{meaning: "Keys as `a_b`, gitfs_* and out.table.rows_key.", def: "1"}, "Keys as `a_b`, `gitfs_*` and `out.table.rows_key`.", "`1`"},
		{option{meaning: "Either `a` or `b`.", values: []string{"a", "b"}}, "Either `a` or `b`.", ""},
		{option{meaning: "Way.", values: []string{"a", "b"}}, "Way. Values: `a`, `b`.", ""},
		{option{meaning: "Way.", values: []string{"a", "b"}, lenient: true}, "Way. Values: `a`, `b`; others mean the default.", ""},
		{option{meaning: "`a` only.", values: []string{"a"}, lenient: true}, "`a` only. Other values mean the default.", ""},
		{option{meaning: "See docs/design/bounds.md."}, "See [bounds.md](../design/bounds.md).", ""},
		{option{kind: "bytes", def: "2097152"}, "", "`2097152` (2 MiB)"},
		{option{kind: "bytes", def: "2097153"}, "", "`2097153`"},
		{option{def: "log_level", computed: true}, "", "`log_level`"},
		{option{def: "False", values: []string{"off", "False"}, meaning: "`off` disables it."}, "`off` disables it.", "`off`"},
	} {
		if got := c.o.text(); got != c.text {
			t.Errorf("%+v: text %q, want %q", c.o, got, c.text)
		}
		if got := c.o.defaults(); got != c.defText {
			t.Errorf("%+v: default %q, want %q", c.o, got, c.defText)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := read(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory without options: %v", err)
	}
	if _, err := readLogins(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory without login services: %v", err)
	}
	if _, err := readNotYet(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a directory without notyet.go: %v", err)
	}
	for name, source := range map[string]string{
		"option without comment": "package x\n\ntype T struct {\n\tWait int `yaml:\"wait\"`\n}\n",
		"not Go":                 "package",
	} {
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(dir); err == nil {
			t.Error(name + " was accepted")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package x\n\nvar l = []Option{{Name: \"auth.x\", Doc: text}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readLogins(dir); err == nil || !strings.Contains(err.Error(), "auth.x") {
		t.Errorf("login option without literal documentation: %v", err)
	}
}
