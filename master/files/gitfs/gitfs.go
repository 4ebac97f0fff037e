package gitfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/gitrepo"
)

func init() { files.Register("gitfs", open, "git") }

const (
	// whole is the largest file that is read from git for each chunk, in bytes.
	whole = 1 << 20
	// listed limits the cached lists of trees.
	listed = 32
)

type backend struct {
	remotes []*remote
	ignore  *files.IgnoreRules
	copies  func() (*files.Copies, error)
	lists   *lru.Map[string, *gitrepo.Listing] // by tree
	known   atomic.Pointer[known]
	log     *slog.Logger
	now     func() time.Time
}

func open(e files.Env) (files.Backend, error) {
	remotes, err := readRemotes(e.Config, e.Log)
	if err != nil {
		return nil, err
	}
	return &backend{
		remotes: remotes, ignore: e.Ignore, copies: e.Copies, lists: lru.New[string, *gitrepo.Listing](listed), log: e.Log, now: e.Now,
	}, nil
}

// Find finds a file in the first remote that has it.
func (b *backend) Find(ctx context.Context, env string, p files.Path) (*files.File, error) {
	if p.Index > 0 || b.ignore.Match(p.Rel) {
		return nil, fs.ErrNotExist
	}
	for _, r := range b.remotes {
		f, err := b.find(ctx, r, env, p.Rel)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fs.ErrNotExist
}

func (b *backend) find(ctx context.Context, r *remote, env, rel string) (*files.File, error) {
	root, mount := r.place(env)
	below := rel
	if mount != "" {
		var ok bool
		if below, ok = strings.CutPrefix(rel, mount+"/"); !ok {
			return nil, fs.ErrNotExist
		}
	}
	s, err := r.repo.Snapshot()
	if err != nil {
		//mutant:git-never
		if !r.envs.Shown(env) {
			err = fs.ErrNotExist
		}
		return nil, err
	}
	if ok, err := b.serves(ctx, r, env); err != nil || !ok {
		return nil, errors.Join(err, fsMissing(err))
	}
	t, ok, err := r.tree(s, env)
	if err != nil || !ok {
		return nil, errors.Join(err, fsMissing(err))
	}
	blob, err := t.Find(root, below)
	if err != nil {
		return nil, err
	}
	return &files.File{
		Path: r.repo.Name() + "@" + env + ":" + path.Join(root, below), Rel: rel, Size: blob.Size, Key: blob.Hash(),
		Stat: []int64{int64(blob.Mode), 0, 0, 1, 0, 0, blob.Size, t.Time, t.Time, t.Time},
		Open: func(ctx context.Context) (files.Content, error) { return b.content(ctx, blob) },
	}, nil
}

// fsMissing returns fs.ErrNotExist if err is nil, that is, if a lookup without error found nothing.
func fsMissing(err error) error {
	if err != nil {
		return nil
	}
	return fs.ErrNotExist
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// content opens a file: a small one in memory, a large one as a copy.
func (b *backend) content(ctx context.Context, blob gitrepo.Blob) (files.Content, error) {
	if blob.Size <= whole {
		text, err := blob.Bytes(whole)
		if err != nil {
			return nil, err
		}
		return inMemory{bytes.NewReader(text)}, nil
	}
	store, err := b.copies()
	if err != nil {
		return nil, err
	}
	return store.Get(ctx, files.Sum{Type: files.Git, Hex: blob.Hash()}, blob.Size, func(ctx context.Context, w io.Writer) error {
		r, err := blob.Open()
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, until{ctx, r})
		return err
	})
}

// until is a reader that fails once ctx ends.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// List lists the files of all remotes together. If several have a link, the target of the last one
// is used, as in Salt.
func (b *backend) List(ctx context.Context, env string) (*files.List, error) {
	paths, dirs, links := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, r := range b.remotes {
		if !r.envs.Shown(env) {
			continue
		}
		s, err := r.repo.Snapshot()
		if err != nil {
			return nil, err
		}
		if ok, err := b.serves(ctx, r, env); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		l, mount, err := b.listing(ctx, r, s, env)
		if err != nil {
			return nil, fmt.Errorf("repository %s: %w", r.repo.Name(), err)
		}
		if l == nil {
			continue
		}
		for _, p := range l.Files {
			if p = path.Join(mount, p); !b.ignore.Match(p) {
				paths[p] = true
			}
		}
		for _, p := range l.Dirs {
			if p = path.Join(mount, p); !b.ignore.Match(p) {
				dirs[p] = true
			}
		}
		if mount != "" {
			dirs[mount] = true
		}
		for p, to := range l.Links {
			if p = path.Join(mount, p); !b.ignore.Match(p) {
				links[p] = to
			}
		}
	}
	if !gitrepo.IsHex(env) { // environments of fallback have files, but in Salt no links
		if envs, err := b.Envs(ctx); err != nil || !slices.Contains(envs, env) {
			links = map[string]string{}
		}
	}
	return &files.List{Files: slices.Sorted(maps.Keys(paths)), Dirs: slices.Sorted(maps.Keys(dirs)), Links: links}, nil
}

// listing returns the files of a remote in an environment; nil if it lacks the environment.
func (b *backend) listing(ctx context.Context, r *remote, s *gitrepo.Snapshot, env string) (*gitrepo.Listing, string, error) {
	root, mount := r.place(env)
	t, ok, err := r.tree(s, env)
	if err != nil || !ok {
		return nil, "", err
	}
	if t, err = t.Sub(root); errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	} else if err != nil {
		return nil, "", err
	}
	if l, ok := b.lists.Get(t.Hash()); ok {
		return l, mount, nil
	}
	l, err := t.List(ctx)
	if err == nil {
		b.lists.Add(t.Hash(), l)
	}
	return l, mount, err
}
