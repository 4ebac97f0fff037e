package ext

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// gitFiles holds the files of trees, in the form of package pillar.
type gitFiles struct {
	env  string
	dirs []gitDir
}

const maxGitFile = 16 << 20 // of a rendered file, in bytes, as for pillar_roots

// Envs returns the one environment.
func (f gitFiles) Envs() []string { return []string{f.env} }

// Stamp is not used: pillars from repositories are not cached.
func (f gitFiles) Stamp(env, path string) string { return env + path }

// List lists the files of all trees.
func (f gitFiles) List(ctx context.Context, env string) ([]string, error) {
	var out []string
	if env != f.env {
		return nil, nil
	}
	for _, d := range f.dirs {
		list, err := d.tree.ListThrough(ctx, d.root)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if d.mount != "" {
				p = d.mount + "/" + p
			}
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Open reads a file of the first tree that has it.
func (f gitFiles) Open(_ context.Context, env, path string) ([]byte, error) {
	if env != f.env || !filepath.IsLocal(path) {
		return nil, fs.ErrNotExist
	}
	for _, d := range f.dirs {
		below := path
		if d.mount != "" {
			var ok bool
			if below, ok = strings.CutPrefix(path, d.mount+"/"); !ok {
				continue
			}
		}
		b, err := d.tree.FindThrough(d.root, below)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return b.Bytes(maxGitFile)
	}
	return nil, fs.ErrNotExist
}
