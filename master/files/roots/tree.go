package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/master/files"
)

// AnyEnv is the environment that stands for all that are not configured.
const AnyEnv = "__env__"

// Options configure a [Tree].
type Options struct {
	// Roots are the directories of each environment, in search order.
	Roots  map[string][]string
	Ignore *files.IgnoreRules // nil: nothing is ignored
	// Follow makes lists walk links to directories; Hide omits links from lists.
	Follow, Hide bool
	Log          *slog.Logger     // nil: slog.Default
	Now          func() time.Time // default: time.Now
}

// Tree is a set of environments, each with directories of this machine.
type Tree struct {
	o       Options
	outside logs.Throttle[string] // of links out of the roots
}

// New returns a Tree. The directories need not exist yet.
func New(o Options) *Tree {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Tree{o: o}
}

// Envs lists the environments, sorted.
func (t *Tree) Envs(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(t.o.Roots)), nil
}

// roots returns the directories of an environment.
func (t *Tree) roots(env string) ([]string, error) {
	if list, ok := t.o.Roots[env]; ok && env != AnyEnv {
		return list, nil
	}
	list, ok := t.o.Roots[AnyEnv]
	if !ok {
		return nil, fmt.Errorf("environment %q: %w", env, fs.ErrNotExist)
	}
	//mutant:cve2021-25282-files-env-2
	if strings.Contains(env, "/") || env[0] == '.' { // env becomes part of a path
		return nil, fmt.Errorf("environment %q is not a directory name: %w", env, fs.ErrNotExist)
	}
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = strings.ReplaceAll(r, AnyEnv, env)
	}
	return out, nil
}

// Find finds a regular file.
func (t *Tree) Find(_ context.Context, env string, p files.Path) (*files.File, error) {
	list, err := t.roots(env)
	if err != nil {
		return nil, err
	}
	look := list
	if p.Index >= 0 {
		if p.Index >= len(list) {
			return nil, fmt.Errorf("environment %q has %d roots: %w", env, len(list), fs.ErrNotExist)
		}
		look = list[p.Index : p.Index+1]
	}
	for _, root := range look {
		f, err := t.find(list, root, p.Rel)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fs.ErrNotExist
}

// find finds a regular file below one root.
func (t *Tree) find(list []string, root, rel string) (*files.File, error) {
	full := filepath.Join(root, rel)
	info, err := os.Stat(full)
	if err != nil || !info.Mode().IsRegular() || t.o.Ignore.Match(full) {
		return nil, missing(err)
	}
	realRoot, below, err := t.inside(list, root, full)
	if err != nil {
		return nil, err
	}
	stat, key := files.StatOf(info)
	return &files.File{
		Path: full, Rel: rel, Stat: stat, Size: info.Size(), Key: key,
		Open: func(context.Context) (files.Content, error) { return openBelow(realRoot, below, info) },
	}, nil
}

// missing returns fs.ErrNotExist, or err if it is a file error other than "does not exist".
func missing(err error) error {
	var pe *fs.PathError
	if err == nil || !errors.As(err, &pe) || leadsNowhere(err) {
		return fs.ErrNotExist
	}
	return err
}

// inside returns the root that contains the real file, and its path below that root. It differs
// from root if links lead to another root of the environment.
func (t *Tree) inside(list []string, root, full string) (realRoot, below string, err error) {
	at, err := filepath.EvalSymlinks(full)
	if err != nil {
		return "", "", missing(err)
	}
	for _, r := range append([]string{root}, list...) {
		realRoot, err := filepath.EvalSymlinks(r)
		if err != nil {
			continue
		}
		if below, ok := within(realRoot, at); ok {
			return realRoot, below, nil
		}
	}
	if n := t.outside.Note(full, t.o.Now()); n > 0 {
		t.o.Log.Warn("symlink leaves file_roots, not served", "hint", "add its target to file_roots to serve it",
			"link", full, "leads_to", at, "times", n)
	}
	//mutant:cve2020-11652-files-links,cve2024-22232-served-2
	return "", "", fs.ErrNotExist
}

// within returns the path below root, "." for the root itself. Both must be real paths.
func within(root, path string) (below string, ok bool) {
	if path == root {
		return ".", true
	}
	//mutant:files-root-is-no-prefix
	below, ok = strings.CutPrefix(path, strings.TrimSuffix(root, "/")+"/")
	return below, ok
}

// openBelow opens the file that info describes.
func openBelow(root, below string, info fs.FileInfo) (files.Content, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := r.OpenFile(below, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	//mutant:files-swapped
	if err == nil && (!now.Mode().IsRegular() || !os.SameFile(info, now)) {
		err = fmt.Errorf("%s was replaced: %w", filepath.Join(root, below), fs.ErrNotExist)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
