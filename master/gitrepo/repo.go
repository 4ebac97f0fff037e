package gitrepo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/momtree/mom/internal/durable"
)

// Options configure a [Repo].
type Options struct {
	// Dir is the directory of the copy, which the Repo owns exclusively.
	Dir string
	// URL is the address of the repository.
	URL string
	// Refspecs select and rename refs. Default [DefaultRefspecs].
	Refspecs []string
	Auth     Auth
	Limits   Limits
	Log      *slog.Logger // default: slog.Default
}

// Repo is the copy of one remote. It is safe for concurrent use.
type Repo struct {
	o     Options
	ep    *transport.Endpoint
	specs []config.RefSpec
	turn  chan struct{} // held during a fetch
	packs sync.RWMutex  // of the names of packs: held by who adds one, and by who looks which there are

	mu   sync.Mutex
	gen  int // number of the directory in use
	last *Snapshot
	err  error // of the last fetch
	// tried is the end of the last fetch.
	tried time.Time
}

// kept is the state of a copy on disk.
type kept struct {
	URL        string            `json:"url"`
	Generation int               `json:"generation"`
	Refs       map[string]string `json:"refs"`
}

// Open loads the copy of a previous run. It does not connect. The error lists invalid options.
func Open(o Options) (*Repo, error) {
	o.Limits = o.Limits.orDefault()
	if o.Log == nil {
		o.Log = slog.Default()
	}
	r := &Repo{o: o, turn: make(chan struct{}, 1)}
	var err error
	if r.ep, err = endpoint(o.URL, o.Auth); err != nil {
		return nil, err
	}
	if r.specs, err = refspecs(o.Refspecs); err != nil {
		return nil, err
	}
	if r.ep.Protocol == "ssh" && o.Auth.Privkey != "" {
		if _, err := o.Auth.signers(); err != nil {
			return nil, err
		}
	}
	if err := durable.Folder(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the repository cache: %w", err)
	}
	if err := r.sweep(); err != nil {
		return nil, fmt.Errorf("open the repository cache: %w", err)
	}
	if err := r.restore(); err != nil {
		o.Log.Warn("repository cache unreadable, cloning again", "repository", r.Name(), "err", err)
	}
	return r, nil
}

// sweep removes remains of an unfinished fetch of a previous run.
func (r *Repo) sweep() error {
	entries, err := os.ReadDir(r.o.Dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), incoming) {
			err = errors.Join(err, os.Remove(filepath.Join(r.o.Dir, e.Name())))
		}
	}
	return err
}

// restore loads the state of the previous run, if it is complete.
func (r *Repo) restore() error {
	text, err := os.ReadFile(filepath.Join(r.o.Dir, "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return err
	}
	r.gen = k.Generation
	if k.URL != r.Name() { // a different repository
		r.gen++
		return nil
	}
	refs := map[string]plumbing.Hash{}
	for name, hex := range k.Refs {
		refs[name] = plumbing.NewHash(hex)
	}
	s := r.newSnapshot(k.Generation, refs)
	if err := s.whole(); err != nil {
		r.gen++
		return err
	}
	r.last = s
	return nil
}

// write stores the state. It is called after the objects are on disk.
func (r *Repo) write(gen int, refs map[string]plumbing.Hash) error {
	k := kept{URL: r.Name(), Generation: gen, Refs: map[string]string{}}
	for name, h := range refs {
		k.Refs[name] = h.String()
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.o.Dir, "state.json"), text, 0o600)
}

func (r *Repo) folder(gen int) string { return filepath.Join(r.o.Dir, fmt.Sprintf("objects-%d", gen)) }

// Name returns the URL without a password.
func (r *Repo) Name() string { return Redacted(r.o.URL) }

// Snapshot returns the last fetched state. The error is [ErrNever], with the reason.
func (r *Repo) Snapshot() (*Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.last != nil:
		return r.last, nil
	case r.err != nil:
		return nil, fmt.Errorf("repository %s: %w: %w", r.Name(), ErrNever, r.err)
	}
	return nil, fmt.Errorf("repository %s: %w", r.Name(), ErrNever)
}

// Clear removes everything fetched.
func (r *Repo) Clear() error {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.err = nil, nil
	entries, err := os.ReadDir(r.o.Dir)
	for _, e := range entries {
		if e.Name() != lockFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(r.o.Dir, e.Name())))
		}
	}
	r.gen++
	return err
}
