package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// Fetch fetches the remote and reports whether anything changed. It blocks while another fetch of
// the repository runs. The error is [ErrLocked] if an operator locked the repository. After any
// error the last snapshot stays in use.
func (r *Repo) Fetch(ctx context.Context) (changed bool, err error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return r.inTurn(ctx)
}

// tryAgain is the delay before a repository that failed to fetch is fetched on demand again.
const tryAgain = 10 * time.Second

// Need returns the last snapshot like [Repo.Snapshot], and fetches a repository that was never
// fetched. Concurrent callers share one fetch, and its error is returned for a while.
func (r *Repo) Need(ctx context.Context) (*Snapshot, error) {
	if s, err := r.Snapshot(); err == nil || r.triedLately() {
		return s, err
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	//mutant:git-needed-by-many
	if s, err := r.Snapshot(); err == nil || r.triedLately() { // another caller was first
		return s, err
	}
	if _, err := r.inTurn(ctx); err != nil {
		return nil, err
	}
	return r.Snapshot()
}

func (r *Repo) triedLately() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil && time.Since(r.tried) < tryAgain
}

// inTurn fetches. The caller holds the turn.
func (r *Repo) inTurn(ctx context.Context) (changed bool, err error) {
	if r.Locked() {
		return false, fmt.Errorf("repository %s: %w (%s)", r.Name(), ErrLocked, r.lockPath())
	}
	ctx, cancel := context.WithTimeout(ctx, r.o.Limits.Fetch)
	defer cancel()
	changed, err = r.fetch(ctx)
	if err != nil {
		err = fmt.Errorf("fetch %s: %w", r.Name(), hidden(err, r.o))
	}
	r.mu.Lock()
	//mutant:git-last-state
	r.err, r.tried = err, time.Now()
	r.mu.Unlock()
	return changed, err
}

// hidden removes passwords from an error that repeats the URL.
func hidden(err error, o Options) error {
	text := err.Error()
	clean := strings.ReplaceAll(text, o.URL, Redacted(o.URL))
	if ep, e := endpoint(o.URL, o.Auth); e == nil && ep.Password != "" {
		clean = strings.ReplaceAll(clean, ep.Password, "***")
	}
	//mutant:git-errors-hide-passwords
	if clean == text {
		return err
	}
	return errors.New(clean)
}

func (r *Repo) fetch(ctx context.Context) (changed bool, err error) {
	ctx, m := newMeter(ctx, r.o.Limits)
	defer m.stop()
	defer func() { err = m.cause(err) }()
	s, err := r.dial(ctx, m)
	if err != nil {
		return false, err
	}
	defer s.Close()
	adv, err := s.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		adv, err = packp.NewAdvRefs(), nil
	}
	if err != nil {
		return false, err
	}
	refs, err := mapped(adv, r.specs, r.o.Limits)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	last, gen := r.last, r.gen
	r.mu.Unlock()
	if last != nil && maps.Equal(last.refs, refs) {
		return false, nil
	}
	if last == nil {
		// Remains of an earlier attempt may be incomplete.
		if err := os.RemoveAll(r.folder(gen)); err != nil {
			return false, err
		}
	} else if last.packs() >= r.o.Limits.Packs {
		gen, last = gen+1, nil
		if err := os.RemoveAll(r.folder(gen)); err != nil {
			return false, err
		}
	}
	next := r.newSnapshot(gen, refs)
	q := request(adv, refs, last)
	if len(q.Wants) > 0 {
		//mutant:git-pack
		m.allow(r.o.Limits.Pack)
		if err := r.pack(ctx, m, s, q, next); err != nil {
			return false, err
		}
	}
	if err := next.whole(); err != nil {
		return false, err
	}
	if err := r.write(gen, refs); err != nil {
		return false, err
	}
	r.mu.Lock()
	r.gen, r.last = gen, next
	r.mu.Unlock()
	r.drop(gen)
	return true, nil
}

// request returns the objects to request: those that are missing here.
func request(adv *packp.AdvRefs, refs map[string]plumbing.Hash, last *Snapshot) *packp.UploadPackRequest {
	q := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	if adv.Capabilities.Supports(capability.NoProgress) {
		_ = q.Capabilities.Set(capability.NoProgress)
	}
	wanted, here := map[plumbing.Hash]bool{}, map[plumbing.Hash]bool{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if h := refs[name]; !wanted[h] && (last == nil || !last.has(h)) {
			wanted[h] = true
			q.Wants = append(q.Wants, h)
		}
	}
	if last != nil {
		for _, name := range slices.Sorted(maps.Keys(last.refs)) {
			if h := last.refs[name]; !here[h] && len(here) < maxHaves {
				here[h] = true
				q.Haves = append(q.Haves, h)
			}
		}
	}
	return q
}

// pack receives the missing objects.
func (r *Repo) pack(ctx context.Context, m *meter, s transport.UploadPackSession, q *packp.UploadPackRequest, into *Snapshot) error {
	a, err := s.UploadPack(ctx, q)
	if err != nil {
		return err
	}
	defer a.Close()
	var from io.Reader = a
	switch {
	case q.Capabilities.Supports(capability.Sideband64k):
		from = sideband.NewDemuxer(sideband.Sideband64k, a)
	case q.Capabilities.Supports(capability.Sideband):
		from = sideband.NewDemuxer(sideband.Sideband, a)
	}
	into.mu.Lock()
	defer into.mu.Unlock()
	return r.enter(ctx, into, pausing{m, from})
}

// pausing stops the clock of the meter at the end of the data: what follows is local work.
type pausing struct {
	m *meter
	r io.Reader
}

func (p pausing) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil {
		p.m.pause()
	}
	return n, err
}

// drop removes directories older than the last one, which may still have readers.
func (r *Repo) drop(gen int) {
	all, _ := filepath.Glob(filepath.Join(r.o.Dir, "objects-*"))
	for _, dir := range all {
		if dir != r.folder(gen) && dir != r.folder(gen-1) {
			_ = os.RemoveAll(dir)
		}
	}
}
