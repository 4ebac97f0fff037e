// Package importtest lets a test check which packages of this module import each other.
package importtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/momtree/mom/"

// Each calls do for each import of this module in each non-test file below dir: with the path
// of the file relative to dir, and that of the package relative to the module.
func Each(t *testing.T, dir string, do func(file, imported string)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, module); ok {
				do(rel, ours)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files in %s: %v", files, dir, err)
	}
}
