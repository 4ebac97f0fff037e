package importtest

import (
	"path/filepath"
	"strings"
	"testing"
)

// Shape bounds the import graph of the packages below a directory. Its numbers only shrink.
type Shape struct {
	// Folder is the directory of the test, relative to the module. Its own package combines the
	// others, so none of them imports it.
	Folder string
	// Floors is the number of floors: a package is one floor above the highest package below
	// Folder that it imports. Packages is the number of packages.
	Floors, Packages int
}

// Check fails the test if the packages below the directory of the test do not have the shape.
func (s Shape) Check(t *testing.T) {
	t.Helper()
	imports := map[string]map[string]bool{}
	Each(t, ".", func(file, path string) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		if other, below := strings.CutPrefix(path, s.Folder+"/"); below {
			imports[pkg][other] = true
		} else if path == s.Folder {
			t.Errorf("%s imports package %s", file, s.Folder)
		}
	})
	delete(imports, ".")
	floors := map[string]int{}
	var floor func(pkg string) int
	floor = func(pkg string) int {
		if floors[pkg] == 0 {
			n := 1
			for other := range imports[pkg] {
				n = max(n, floor(other)+1)
			}
			floors[pkg] = n
		}
		return floors[pkg]
	}
	highest := 0
	for pkg := range imports {
		highest = max(highest, floor(pkg))
	}
	if highest != s.Floors || len(imports) != s.Packages {
		t.Errorf("%s has %d packages on %d floors, want %d on %d", s.Folder, len(imports), highest, s.Packages, s.Floors)
	}
}
