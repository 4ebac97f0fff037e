package gitfs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/master/gitrepo"
	"github.com/momtree/mom/value"
)

const role = "gitfs"

// Interval returns the shortest interval of the remotes.
func (b *backend) Interval() time.Duration {
	var least time.Duration
	for _, r := range b.remotes {
		if least == 0 || r.interval < least {
			least = r.interval
		}
	}
	return least
}

// Update fetches the remotes whose URLs or names contain one of remotes; empty means all.
func (b *backend) Update(ctx context.Context, remotes []string) (*value.Map, error) {
	return b.update(ctx, func(r *remote) bool {
		return len(remotes) == 0 || slices.ContainsFunc(remotes, func(w string) bool {
			return strings.Contains(r.id, w) || r.name != "" && strings.Contains(r.name, w)
		})
	})
}

// UpdateDue fetches the remotes whose interval has passed, except those being fetched already. It
// does not wait for these.
func (b *backend) UpdateDue(ctx context.Context) (*value.Map, error) {
	now := b.now()
	return b.update(ctx, func(r *remote) bool {
		if r.repo.Fetching() {
			return false
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		age := now.Sub(r.last)
		return r.last.IsZero() || age >= r.interval || age < 0
	})
}

func (b *backend) update(ctx context.Context, which func(*remote) bool) (*value.Map, error) {
	var repos []*gitrepo.Repo
	for _, r := range b.remotes {
		if !which(r) {
			continue
		}
		r.mu.Lock()
		r.last = b.now()
		r.mu.Unlock()
		repos = append(repos, r.repo)
	}
	if len(repos) == 0 {
		return nil, nil
	}
	changed, err := gitrepo.FetchAll(ctx, repos)
	return value.NewMap("changed", changed, "backend", role), err
}

func (b *backend) repos() []*gitrepo.Repo {
	var out []*gitrepo.Repo
	for _, r := range b.remotes {
		out = append(out, r.repo)
	}
	return out
}

// Lock locks remotes against fetches.
func (b *backend) Lock(remote string) ([]string, []error) {
	return gitrepo.LockAll(b.repos(), role, remote)
}

// ClearLock unlocks remotes.
func (b *backend) ClearLock(remote string) ([]string, []error) {
	return gitrepo.UnlockAll(b.repos(), role, remote)
}

// ClearCache drops everything fetched. The next update fetches it again.
func (b *backend) ClearCache(context.Context) error {
	var faults []error
	for _, r := range b.remotes {
		faults = append(faults, r.repo.Clear())
		r.mu.Lock()
		r.last = time.Time{}
		r.mu.Unlock()
	}
	b.known.Store(nil)
	store, err := b.copies()
	if err == nil {
		err = store.Clear()
	}
	return errors.Join(append(faults, err)...)
}
