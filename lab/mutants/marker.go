package mutants

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// directive begins a marker; the names follow, with commas between.
const directive = "//mutant:"

// markers is the file of each marker, by its path below the root.
type markers map[string]string

var markerName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// findMarkers reads the markers of all Go files below root.
func findMarkers(root string) (markers, error) {
	found := markers{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(directive)) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), rel, b, parser.ParseComments)
		if err != nil {
			return err
		}
		return found.add(filepath.ToSlash(rel), f)
	})
	return found, err
}

// add records the markers of one file.
func (at markers) add(file string, f *ast.File) error {
	for _, group := range f.Comments {
		for _, c := range group.List {
			names, ok := strings.CutPrefix(c.Text, directive)
			if !ok {
				continue
			}
			for name := range strings.SplitSeq(names, ",") {
				if !markerName.MatchString(name) {
					return fmt.Errorf("%s: marker %q is not in lower case with hyphens", file, name)
				}
				if other, ok := at[name]; ok {
					return fmt.Errorf("marker %q stands in %s and in %s", name, other, file)
				}
				at[name] = file
			}
		}
	}
	return nil
}

// names reports whether the comment c is the marker name.
func names(c *ast.Comment, name string) bool {
	list, ok := strings.CutPrefix(c.Text, directive)
	return ok && strings.Contains(","+list+",", ","+name+",")
}
