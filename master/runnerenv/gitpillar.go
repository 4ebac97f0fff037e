package runnerenv

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/pillar/ext"
	"github.com/momtree/mom/master/runners"
)

var _ runners.GitPillars = Env{}

// UpdateGitPillar fetches git repositories of ext_pillar.
func (e Env) UpdateGitPillar(ctx context.Context, branch, repo string) *wire.Map {
	out := wire.NewMap()
	for _, g := range e.gits() {
		g.Update(ctx, branch, repo, out)
	}
	return out
}

// UnlockGitPillar removes their locks.
func (e Env) UnlockGitPillar(remote string) (cleared, faults []string) {
	for _, g := range e.gits() {
		good, bad := g.Unlock(remote)
		cleared = append(cleared, good...)
		for _, err := range bad {
			faults = append(faults, err.Error())
		}
	}
	return cleared, faults
}

func (e Env) gits() (out []*ext.Git) {
	for _, entry := range e.p.Pillars.Entries("git") {
		if g, ok := entry.(*ext.Git); ok {
			out = append(out, g)
		}
	}
	return out
}
