package master

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// mostFloors and mostPackages bound the shape of this folder: a package stands one floor above
// the highest of those below master/ that it imports. They only shrink.
const (
	mostFloors   = 10
	mostPackages = 58
)

// The floors and packages of this folder are bounded, and only this package, which wires them,
// knows them all.
func TestImports_Floors(t *testing.T) {
	imports := map[string]map[string]bool{}
	importtest.Each(t, ".", func(file, path string) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		if imports[pkg] == nil {
			imports[pkg] = map[string]bool{}
		}
		switch other, below := strings.CutPrefix(path, "master/"); {
		case below:
			imports[pkg][other] = true
		case path == "master":
			t.Errorf("%s imports package master", file)
		}
	})
	delete(imports, ".")
	floors := map[string]int{}
	var floor func(pkg string) int
	floor = func(pkg string) int {
		if n := floors[pkg]; n > 0 {
			return n
		}
		n := 1
		for other := range imports[pkg] {
			n = max(n, floor(other)+1)
		}
		floors[pkg] = n
		return n
	}
	highest := 0
	for pkg := range imports {
		highest = max(highest, floor(pkg))
	}
	if highest > mostFloors || len(imports) > mostPackages {
		t.Errorf("%d packages on %d floors, at most %d on %d", len(imports), highest, mostPackages, mostFloors)
	}
	t.Logf("%d packages on %d floors", len(imports), highest)
}
