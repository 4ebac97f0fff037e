package minion

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// below lists which packages of the minion each of them may import. None imports package
// minion, which combines them.
var below = map[string][]string{
	"delivery":  nil,
	"failover":  nil,
	"jobs":      {"delivery"},
	"masters":   {"delivery", "failover", "jobs", "session"},
	"session":   {"delivery", "jobs"},
	"scheduler": {"jobs"},
}

// Imports between the packages of the minion run one way, and each allowed one is needed.
func TestImports_NoArrowUp(t *testing.T) {
	used := map[string]map[string]bool{}
	importtest.Each(t, ".", func(path, name string) {
		pkg, _, sub := strings.Cut(path, "/")
		other, ours := strings.CutPrefix(name, "minion/")
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

// Only one file of the minion knows siblings: masters/sibling.go, which imports package
// failover. No other package reads what masters report about them.
func TestSiblings_KnownInOnePlace(t *testing.T) {
	found := false
	importtest.Each(t, ".", func(path, name string) {
		switch {
		case filepath.Dir(path) == "failover":
		case name == "minion/failover" && path == filepath.Join("masters", "sibling.go"):
			found = true
		case name == "minion/failover", name == "internal/sibling":
			t.Errorf("%s imports %s", path, name)
		}
	})
	if !found {
		t.Error("masters/sibling.go does not use package failover")
	}
}
