package functions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// TestCopy_Itself copies a file onto itself, into itself, and over its own folder, with
// force: the source must still exist.
func TestCopy_Itself(t *testing.T) {
	h := newHost(t, value.NewMap(), nil)
	dir := filepath.Join(h.dir, "tree")
	source := filepath.Join(dir, "sub", "file")
	if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(h.dir, "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{source, source}, {source, filepath.Join(alias, "sub", "file")}, {source, dir}, {dir, filepath.Join(dir, "copy")}, {dir, dir}} {
		r := h.apply("file.copy", c[1], false, "source", c[0], "force", true)
		if r.Result != false || !strings.Contains(r.Comment, "one holds the other") {
			t.Errorf("%s onto %s: %v %s", c[0], c[1], r.Result, r.Comment)
		}
		if text, err := os.ReadFile(source); string(text) != "x" {
			t.Fatalf("%s onto %s: the source is gone: %v", c[0], c[1], err)
		}
	}
}

// TestFileStates_NUL passes paths with a NUL to each state of file with a path.
func TestFileStates_NUL(t *testing.T) {
	h := newHost(t, value.NewMap(), nil)
	name := filepath.Join(h.dir, "a\x00b")
	for fun, args := range map[string][]any{
		"file.line":               {"mode", "insert", "content", "x", "location", "start", "create", true},
		"file.blockreplace":       {"content", "x"},
		"file.keyvalue":           {"key", "a", "value", "b"},
		"file.serialize":          {"dataset", "x", "makedirs", true},
		"file.copy":               {"source", "/etc/hosts"},
		"file.hardlink":           {"target", name},
		"file.tidied":             {},
		"file.retention_schedule": {"retain", value.NewMap()},
	} {
		if result, comment, _ := h.outcome(fun, name, args...); result != false {
			t.Errorf("%s: %v %s", fun, result, comment)
		}
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
