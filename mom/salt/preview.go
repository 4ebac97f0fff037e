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

// preview shows the minions that the target matches (--preview-target): every minion of the tree, by
// id, and by grains and pillar where the master has them. A user without access to the tree gets the
// minions of a job that he may start.
func (r *call) preview(ctx context.Context) error {
	p, err := r.client.Preview(ctx, r.job)
	var bad *client.TargetError
	var no *client.Refused
	var failed *client.RunnerError // Salt's own API does not report a refusal as such
	switch {
	case errors.As(err, &no), errors.As(err, &failed):
		return r.meant(ctx)
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
		fmt.Fprintf(r.stderr, "%d minions of %s may match too: their grains and pillar are not known here\n", p.Unknown[id], id)
	}
	if len(p.Minions) == 0 && len(p.Unknown) == 0 {
		return command.Exit(report.NoReturn, errors.New("No minions matched the target."))
	}
	return nil
}

// namedMeant is how many minions the master is asked to name.
const namedMeant = 1000

// meant shows the minions of the job to a user who may start it.
func (r *call) meant(ctx context.Context) error {
	m, err := r.client.Meant(ctx, r.job, namedMeant)
	if err != nil {
		return r.refused(ctx, err, "")
	}
	ids := make([]string, 0, len(m.Minions))
	for _, p := range m.Minions {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	if err := r.report(nil).Preview(slices.Compact(ids)); err != nil {
		return err
	}
	for _, of := range []struct {
		n    int
		text string
	}{
		{m.Count - len(m.Minions), "%d more match and are not named\n"},
		{m.Unknown, "%d minions may match too: the nodes below know their grains and pillar and decide\n"},
		{m.Blind, "%d nodes do not report their minions\n"},
	} {
		if of.n > 0 {
			fmt.Fprintf(r.stderr, of.text, of.n)
		}
	}
	if m.Count+m.Unknown+m.Blind == 0 {
		return command.Exit(report.NoReturn, errors.New("No minions matched the target."))
	}
	return nil
}
