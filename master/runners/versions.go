package runners

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

func init() {
	Register(Function{Name: "manage.versions", Run: manageVersions, Doc: `
The versions of all minions of the tree, grouped by comparison with this master. Minions
that report their presence are not queried. Others, such as Salt's, run test.version, and
the result is compared with the release of Salt that this master implements (salt-run
--versions-report). "Minion of another program" lists versions that cannot be compared.

    salt-run manage.versions
`})
}

// Headings of manage.versions, in order of output.
const (
	older   = "Minion requires update"
	same    = "Up to date"
	newer   = "Minion newer than master"
	foreign = "Minion of another program"
	offline = "Minion offline"
)

func manageVersions(ctx context.Context, c *Call) (any, error) {
	q, _, err := question(c, "test.version")
	if err != nil {
		return nil, err
	}
	tree := c.Env.Tree()
	all, opaque := leaves(tree)
	groups := map[string]map[string]any{}
	known := map[string]bool{}
	put := func(group, id string, version any) {
		if known[id] {
			return
		}
		known[id] = true
		if groups[group] == nil {
			groups[group] = map[string]any{}
		}
		groups[group][id] = version
	}
	var silent []string
	for _, l := range all {
		switch {
		case l.state == topology.Down:
			put(offline, l.id, false)
		case l.state == topology.Unknown || l.version == "":
			silent = append(silent, l.id)
		default:
			put(compared(l.version, tree.Version), l.id, l.version)
		}
	}
	answers, err := ask(ctx, c.Env, q, silent, opaque)
	if err != nil {
		return nil, err
	}
	for id, a := range answers.Returned {
		if a.OK {
			v := fmt.Sprint(a.Value)
			put(compared(v, versions.Salt), id, v)
		} else {
			put(offline, id, false)
		}
	}
	for id := range answers.Missing {
		put(offline, id, false)
	}
	out := wire.NewMap("Master", tree.Version)
	for _, name := range []string{older, same, newer, foreign, offline} {
		m := wire.NewMap()
		for _, id := range slices.Sorted(maps.Keys(groups[name])) {
			m.Set(id, groups[name][id])
		}
		if m.Len() > 0 {
			out.Set(name, m)
		}
	}
	return out, nil
}

var release = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?`)

// compared returns the heading for a minion's version relative to the master's. Both are versions
// of this program or both of Salt.
func compared(version, master string) string {
	if version == master {
		return same
	}
	a, b := release.FindStringSubmatch(version), release.FindStringSubmatch(master)
	if a == nil || b == nil {
		return foreign // a build without a release version
	}
	for i := 1; i < len(a); i++ {
		x, _ := strconv.ParseUint(a[i], 10, 64)
		y, _ := strconv.ParseUint(b[i], 10, 64)
		switch cmp.Compare(x, y) {
		case -1:
			return older
		case 1:
			return newer
		}
	}
	return foreign
}
