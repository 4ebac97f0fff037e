package main

import (
	"encoding/json"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/test/program"
)

var shownFile = regexp.MustCompile("(?s)<!-- file: ([a-z_/]+\\.go) -->\n```go\n(.*?)```\n")

// TestExtend lays the files that docs/design/extend.md shows, and their tests in testdata/extend,
// over the source, compiles the program with them, and runs the tests: the page shows all
// that is needed. What tests all functions and commands for their documentation tests these
// too.
func TestExtend(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "design", "extend.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace, packages := map[string]string{}, map[string]bool{}
	lay := func(path, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, path)] = file
	}
	for _, m := range shownFile.FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err == nil {
			t.Errorf("%s is there already", m[1])
		}
		if formatted, err := format.Source([]byte(m[2])); err != nil || string(formatted) != m[2] {
			t.Errorf("%s is not formatted as Go is: %v", m[1], err)
		}
		lay(m[1], m[2])
		packages[filepath.Dir(m[1])] = true
	}
	if len(packages) != 5 || strings.Count(string(page), "```go\n") != len(replace) {
		t.Fatalf("the page shows %d files in %v", len(replace), packages)
	}
	tests := os.DirFS("testdata/extend")
	err = fs.WalkDir(tests, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tests, path)
		if !packages[filepath.Dir(path)] {
			t.Errorf("%s tests a package that the page does not show", path)
		}
		lay(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lay("mom/extend.go", "package main\n\nimport _ \"github.com/momtree/mom/returners/lines\"\n")
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(dir, name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, program.Env()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	const named = "^TestExtend_|^TestEveryFunctionIsDocumented$"
	args := []string{"test", "-p", "2", "-vet=off", "-overlay", list, "-run", named, "./mom"}
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		if _, err := os.Stat(filepath.Join(root, p)); err == nil {
			args = append(args, "./"+p)
			continue
		}
		// Tests run in the folder of their package, and this one is there on paper alone.
		tests := filepath.Join(dir, "new.test")
		run(root, "go", "test", "-c", "-vet=off", "-overlay", list, "-o", tests, "./"+p)
		if out := run(dir, tests, "-test.v", "-test.run", named); !strings.Contains(out, "--- PASS: TestExtend_") {
			t.Errorf("%s was not tested:\n%s", p, out)
		}
	}
	out := run(root, "go", args...)
	for _, p := range args[8:] {
		if !strings.Contains(out, "github.com/momtree/mom/"+strings.TrimPrefix(p, "./")) {
			t.Errorf("%s was not tested:\n%s", p, out)
		}
	}
}
