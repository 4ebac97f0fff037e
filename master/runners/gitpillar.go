package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// GitPillars is an [Env] with git pillar repositories.
type GitPillars interface {
	// UpdateGitPillar fetches the remotes of a branch and a repository and returns the result of
	// each. "" means all.
	UpdateGitPillar(ctx context.Context, branch, repo string) *wire.Map
	// UnlockGitPillar removes the locks of the remotes whose addresses match a pattern, so that
	// they can be fetched again.
	UnlockGitPillar(remote string) (cleared, faults []string)
}

func init() {
	Register(
		Function{Name: "git_pillar.update", Args: []string{"branch=", "repo="}, Run: gitPillarUpdate, Doc: `
Fetch the git repositories of ext_pillar now. Returns True for each that changed, None for
one without changes, and False for one that could not be fetched; the log has the reason.

branch
    Only remotes of this branch.
repo
    Only the remote of this URL or name.

    salt-run git_pillar.update
    salt-run git_pillar.update branch=main repo=https://git.example.com/pillar.git
`},
		Function{Name: "cache.clear_git_lock", Args: []string{"role", "remote=", "type="}, Lists: []string{"type"}, Run: clearGitLock, Doc: `
Unlock git repositories, so that they are fetched again (see fileserver.lock).

role
    gitfs or git_pillar.
remote
    A pattern of URLs. Default: all.
type
    update, checkout or mountpoint. Only update locks exist here.

    salt-run cache.clear_git_lock gitfs
    salt-run cache.clear_git_lock git_pillar type=update
`},
	)
}

func gitPillars(c *Call) (GitPillars, error) {
	e, ok := c.Env.(GitPillars)
	if !ok {
		return nil, errors.New(c.Fun() + ": there is no pillar here")
	}
	return e, nil
}

func gitPillarUpdate(ctx context.Context, c *Call) (any, error) {
	e, err := gitPillars(c)
	if err != nil {
		return nil, err
	}
	branch, repo := c.Text("branch"), c.Text("repo")
	out := e.UpdateGitPillar(ctx, branch, repo)
	if out.Len() > 0 {
		return out, nil
	}
	if branch != "" || repo != "" {
		return nil, errors.New("Specified git branch/repo not found in ext_pillar config")
	}
	return nil, errors.New("No git_pillar remotes are configured")
}

func clearGitLock(_ context.Context, c *Call) (any, error) {
	types, err := c.Patterns("type")
	if err != nil {
		return nil, err
	}
	if len(types) > 0 && !slices.Contains(types, "update") {
		return "No locks were removed", nil
	}
	var cleared, faults []string
	switch role := c.Text("role"); role {
	case "gitfs":
		s, err := fileServer(c)
		if err != nil {
			return nil, err
		}
		cleared, faults = s.ClearLock("gitfs", c.Text("remote"))
	case "git_pillar":
		e, err := gitPillars(c)
		if err != nil {
			return nil, err
		}
		cleared, faults = e.UnlockGitPillar(c.Text("remote"))
	default:
		return nil, fmt.Errorf("Invalid role '%s': use gitfs or git_pillar", role)
	}
	return faulty("cleared", cleared, faults, "No locks were removed"), nil
}
