package syndic

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// tiers are the packages of the forwarder from the lowest to the highest. Each stands on
// lower ones alone, and on one of the tier right below it; none knows package syndic,
// which puts them together.
var tiers = [][]string{
	{"forwarding", "local", "pace", "treereport"},
	{"events", "link", "origins", "siblings", "standalone"},
	{"publications", "returns"},
}

// beside are the packages that whoever starts a forwarder puts beside it: package syndic
// does not know them.
var beside = []string{"standalone"}

func tierOf(pkg string) int {
	return slices.IndexFunc(tiers, func(tier []string) bool { return slices.Contains(tier, pkg) })
}

func TestImports_NoArrowUp(t *testing.T) {
	stands := map[string]int{} // the highest tier that a package stands on
	importtest.Each(t, ".", func(file, path string) {
		pkg := filepath.Dir(file)
		first, other, _ := strings.Cut(path, "/")
		switch first {
		case "master", "minion", "mom", "api":
			t.Errorf("%s imports %s", file, path)
			return
		case "syndic":
		default:
			return
		}
		on := tierOf(other)
		if pkg == "." {
			if on < 0 || slices.Contains(beside, other) {
				t.Errorf("%s imports %s", file, path)
			}
			return
		}
		if at := tierOf(pkg); at < 0 || on < 0 || on >= at {
			t.Errorf("%s, of tier %d, imports %s of tier %d", file, at, path, on)
		}
		stands[pkg] = max(stands[pkg], on+1)
	})
	for n, tier := range tiers {
		for _, pkg := range tier {
			if stands[pkg] != n {
				t.Errorf("%s is in tier %d and belongs in tier %d", pkg, n, stands[pkg])
			}
			if _, err := os.Stat(pkg); err != nil {
				t.Error(err)
			}
		}
	}
}
