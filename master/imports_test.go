package master

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/importtest"
)

// tiers are the packages of the master from the lowest to the highest. Each stands on
// lower ones alone, and on one of the tier right below it; none knows package master,
// which puts them together.
var tiers = [][]string{
	{
		"above", "access/verdict", "admission", "bank", "batches", "cache3008", "eventreturn", "files/copies", "files/ignore", "files/pick", "findjob", "gitrepo", "gitrepo/gitrepotest", "jobfiles", "jobs/ledger", "jobstore", "keys", "ports", "quota", "reactor",
		"roles", "rows", "signatures",
	},
	{"auth", "datacache", "files", "jobs", "keyring", "pillar/ext", "presence", "retention", "tops", "tracer"},
	{"files/gitfs", "files/httpfs", "files/roots", "files/upstream", "ownership", "pillar", "treewatch"},
	{"files/gitfs/gitfstest", "files/minionfs", "meters", "rendering"},
	{"server"},
	{"driver", "failover", "functions", "peers", "publications", "resources"},
	{"access", "below", "intake", "restore", "wheels"},
	{"mine", "publish", "runners"},
	{"commands", "orchestrate", "peercall"},
	{"runnerenv"},
}

func tierOf(pkg string) int {
	return slices.IndexFunc(tiers, func(tier []string) bool { return slices.Contains(tier, pkg) })
}

func TestImports_NoArrowUp(t *testing.T) {
	stands := map[string]int{} // the highest tier that a package stands on
	importtest.Each(t, ".", func(file, path string) {
		pkg := filepath.Dir(file)
		other, ours := strings.CutPrefix(path, "master")
		if pkg == "." || !ours {
			return
		}
		other = strings.TrimPrefix(other, "/")
		at, on := tierOf(pkg), tierOf(other)
		if at < 0 || on < 0 || on >= at {
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
