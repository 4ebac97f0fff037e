package salt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/report"
	"github.com/momtree/mom/mom/tree"
	"github.com/momtree/mom/topology"
)

// preview shows whom the target means (--preview-target): every minion of the
// tree, by its id; by grains and pillar where the master has them.
func (r *call) preview(ctx context.Context) error {
	expr, err := target.Parse(r.job.Tgt, r.job.TgtType, target.Options{Delimiter: r.f.delimiter, Nodegroups: r.conf.Nodegroups})
	if err != nil {
		return command.Exit(report.NoReturn, err)
	}
	top, err := tree.Fetch(ctx, r.conf)
	if err != nil {
		return r.refused(ctx, err, "")
	}
	var yes []string
	unknown := map[string]int{} // node → minions whose data are not known here
	top.Walk(func(path string, n topology.Node) {
		for _, m := range n.Minions {
			switch expr.Certain(r.subject(m.ID)) {
			case target.Yes:
				yes = append(yes, m.ID)
			case target.Unknown:
				unknown[n.ID]++
			}
		}
	})
	slices.Sort(yes)
	yes = slices.Compact(yes)
	rep := r.report()
	if err := rep.Preview(yes); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(r.stderr, "%d minions of %s may be meant as well: their grains and pillar are not known here\n", unknown[id], id) //nolint:errcheck // nowhere else to tell
	}
	if len(yes) == 0 && len(unknown) == 0 {
		return command.Exit(report.NoReturn, errors.New("No minions matched the target.")) //nolint:staticcheck,revive // Salt's text
	}
	return nil
}

// known is a minion with what this master has stored about it.
type known struct {
	id             string
	grains, pillar any
}

func (k known) ID() string  { return k.id }
func (k known) Grains() any { return k.grains }
func (k known) Pillar() any { return k.pillar }

// subject reads the minion data cache (Salt wire reference §13.2).
func (r *call) subject(id string) target.Subject {
	k := known{id: id}
	b, err := os.ReadFile(filepath.Join(r.conf.Cachedir, "minions", filepath.Base(id), "data.p"))
	if err != nil {
		return k
	}
	if m, err := wire.DecodeMap(b); err == nil {
		k.grains, _ = m.Get("grains")
		k.pillar, _ = m.Get("pillar")
	}
	return k
}
