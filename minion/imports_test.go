package minion

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// below is which packages of the minion each of them stands on. None imports package
// minion, which puts them together, and of those here none that is not named.
var below = map[string][]string{
	"delivery": nil,
	"failover": nil,
	"jobs":     {"delivery", "modules"},
	"session":  {"delivery", "grains", "jobs", "modules"},
	"modules":  {"grains"},
	"grains":   nil,
}

// imports calls do for each import of each file that is no test.
func imports(t *testing.T, do func(path, name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			do(path, name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Imports between the packages of the minion run one way, and each that is allowed is needed.
func TestImports_NoArrowUp(t *testing.T) {
	used := map[string]map[string]bool{}
	imports(t, func(path, name string) {
		pkg, _, sub := strings.Cut(path, "/")
		other, ours := strings.CutPrefix(name, "github.com/momtree/mom/minion/")
		if !sub || !ours {
			return
		}
		if other, _, _ = strings.Cut(other, "/"); other == pkg {
			return
		}
		allowed, known := below[pkg]
		if !known || !slices.Contains(allowed, other) {
			t.Errorf("%s imports %s", path, name)
		}
		if used[pkg] == nil {
			used[pkg] = map[string]bool{}
		}
		used[pkg][other] = true
	})
	for pkg, all := range below {
		if _, err := os.Stat(pkg); err != nil {
			t.Error(err)
		}
		for _, other := range all {
			if !used[pkg][other] {
				t.Errorf("%s does not import %s any more", pkg, other)
			}
		}
	}
}

// One file of the minion knows that there are siblings: siblings.go, which imports package
// failover. Neither the rest nor a package below knows what masters say of them.
func TestSiblings_KnownInOnePlace(t *testing.T) {
	found := false
	imports(t, func(path, name string) {
		switch {
		case filepath.Dir(path) == "failover":
		case strings.HasSuffix(name, "/minion/failover") && path == "siblings.go":
			found = true
		case strings.HasSuffix(name, "/minion/failover"), strings.HasSuffix(name, "/internal/sibling"):
			t.Errorf("%s imports %s", path, name)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		for _, word := range []string{"guest", "voucher"} {
			if filepath.Dir(path) != "failover" && bytes.Contains(src, []byte(word)) {
				t.Errorf("%s has the word %q", path, word)
			}
		}
	})
	if !found {
		t.Error("siblings.go does not use package failover")
	}
}
