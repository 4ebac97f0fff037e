package localcluster_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// knowsSiblings reads what a minion has stored about its siblings.
func knowsSiblings(m localcluster.Member) bool {
	b, err := os.ReadFile(filepath.Join(m.Dir, "var/cache/salt/minion/home.p"))
	if err != nil {
		return false
	}
	d, err := wire.DecodeMap(b)
	if err != nil || len(d.Bytes("voucher")) == 0 {
		return false
	}
	_, lists, err := sibling.ReadSigned(d.List("lists"))
	return err == nil && len(sibling.Order(m.ID, lists, d.String("node"))) > 0
}

// hasLine reports whether a job's account has a line.
func hasLine(out, line string) bool { return strings.Contains(out, line) }

// eachOnce reports whether rows, as stand.rows returns them, are of n minions, one each.
func eachOnce(rows string, n int) bool {
	fields := strings.Fields(rows)
	for _, f := range fields {
		if !strings.HasSuffix(f, ":1") {
			return false
		}
	}
	return len(fields) == n
}
