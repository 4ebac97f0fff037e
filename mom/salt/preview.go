package salt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/report"
)

// preview shows whom the target means (--preview-target): every minion of the
// tree, by its id; by grains and pillar where the master has them.
func (r *call) preview(ctx context.Context) error {
	p, err := r.client.Preview(ctx, r.job)
	var bad *client.TargetError
	switch {
	case errors.As(err, &bad):
		return command.Exit(report.NoReturn, err)
	case err != nil:
		return r.refused(ctx, err, "")
	}
	rep := r.report(nil)
	if err := rep.Preview(p.Minions); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(p.Unknown)) {
		fmt.Fprintf(r.stderr, "%d minions of %s may be meant as well: their grains and pillar are not known here\n", p.Unknown[id], id)
	}
	if len(p.Minions) == 0 && len(p.Unknown) == 0 {
		return command.Exit(report.NoReturn, errors.New("No minions matched the target."))
	}
	return nil
}
