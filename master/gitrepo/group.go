package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/momtree/mom/internal/target"
)

// Fetching reports whether a fetch is in progress.
func (r *Repo) Fetching() bool { return len(r.turn) > 0 }

// together is the number of repositories fetched at once.
const together = 4

// FetchAll fetches repositories concurrently and reports whether any changed. A failure does not
// affect the others; the error joins all errors.
func FetchAll(ctx context.Context, repos []*Repo) (changed bool, err error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, together)
	var faults []error
	for _, r := range repos {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			c, err := r.Fetch(ctx)
			mu.Lock()
			defer mu.Unlock()
			changed = changed || c
			faults = append(faults, err)
		})
	}
	wg.Wait()
	return changed, errors.Join(faults...)
}

// matching returns the repositories whose URLs match a pattern; "" means all.
func matching(repos []*Repo, pattern string) (out []*Repo) {
	for _, r := range repos {
		if pattern == "" || target.Glob(pattern, r.o.URL) || target.Glob(pattern, r.Name()) {
			out = append(out, r)
		}
	}
	return out
}

// LockAll locks the repositories whose URLs match and returns, in Salt's words, which. role is
// their purpose: gitfs, git_pillar.
func LockAll(repos []*Repo, role, pattern string) (locked []string, faults []error) {
	for _, r := range matching(repos, pattern) {
		switch set, err := r.Lock(); {
		case err != nil:
			faults = append(faults, err)
		case set:
			locked = append(locked, fmt.Sprintf("Set update lock for %s remote '%s'", role, r.Name()))
		}
	}
	return locked, faults
}

// UnlockAll unlocks them.
func UnlockAll(repos []*Repo, role, pattern string) (cleared []string, faults []error) {
	for _, r := range matching(repos, pattern) {
		switch was, err := r.Unlock(); {
		case err != nil:
			faults = append(faults, err)
		case was:
			cleared = append(cleared, fmt.Sprintf("Removed update lock for %s remote '%s'", role, r.Name()))
		}
	}
	return cleared, faults
}
