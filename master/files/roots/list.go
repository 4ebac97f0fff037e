package roots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/master/files"
)

// maxListed limits the directory entries of one environment: a root such as / or a home directory
// is a mistake that should be reported.
const maxListed = 2_000_000

// List lists an environment by walking its roots, in Salt's form. Paths in the environment are
// matched against the ignore rules. An unreadable directory is an error, because minions delete
// files that are missing in a list.
func (t *Tree) List(ctx context.Context, env string) (*files.List, error) {
	list, err := t.roots(env)
	if err != nil {
		return nil, err
	}
	w := walk{
		t: t, list: list, files: map[string]bool{}, dirs: map[string]bool{}, empty: map[string]bool{}, links: map[string]string{},
	}
	for _, root := range list {
		w.root = root
		if w.real, err = filepath.EvalSymlinks(root); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = w.folder(ctx, root, "", nil)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list %s: %w", root, err)
		}
	}
	return &files.List{
		Files: slices.Sorted(maps.Keys(w.files)), Dirs: slices.Sorted(maps.Keys(w.dirs)),
		EmptyDirs: slices.Sorted(maps.Keys(w.empty)), Links: w.links,
	}, nil
}

// walk is one walk through the roots of an environment.
type walk struct {
	t          *Tree
	list       []string
	root, real string // the current root, and its real path

	files, dirs, empty map[string]bool
	links              map[string]string
	entries            int
}

// folder lists one directory. above are its ancestors, to detect links that form a cycle.
func (w *walk) folder(ctx context.Context, dir, rel string, above []fs.FileInfo) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	for _, a := range above {
		if os.SameFile(a, info) {
			return nil
		}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	if w.entries += len(entries); w.entries > maxListed {
		return fmt.Errorf("more than %d entries; is this the right directory?", maxListed)
	}
	above = append(above[:len(above):len(above)], info)
	for _, e := range entries {
		full, path := filepath.Join(dir, e.Name()), e.Name()
		if rel != "" {
			path = rel + "/" + path
		}
		isLink := e.Type()&fs.ModeSymlink != 0
		isDir := e.IsDir()
		if isLink {
			to, err := os.Stat(full)
			isDir = err == nil && to.IsDir()
		}
		if err := w.entry(full, path, isLink, isDir); err != nil {
			return err
		}
		if !isDir || isLink && !w.follows(full) {
			continue
		}
		if err := w.folder(ctx, full, path, above); err != nil {
			return err
		}
	}
	return nil
}

// follows reports whether to walk a link to a directory: targets outside the roots are not served.
func (w *walk) follows(full string) bool {
	if !w.t.o.Follow {
		return false
	}
	_, _, err := w.t.inside(w.list, w.root, full)
	return err == nil
}

// entry lists one entry of a directory.
func (w *walk) entry(full, path string, isLink, isDir bool) error {
	if isLink && w.t.o.Hide || w.t.o.Ignore.Match(path) {
		return nil
	}
	if isDir {
		w.dirs[path] = true
		if below, err := os.ReadDir(full); err == nil && len(below) == 0 {
			w.empty[path] = true
		}
	} else {
		w.files[path] = true
	}
	if !isLink {
		return nil
	}
	to, err := os.Readlink(full)
	if err != nil {
		return nil //nolint:nilerr // it went meanwhile
	}
	if _, known := w.links[path]; !known && (!w.t.o.Follow || w.pointsInside(full, to)) {
		w.links[path] = to
	}
	return nil
}

// pointsInside reports whether the target of a link, as written, is inside the root. Salt resolves
// targets that begin with ".." from the link itself, not from its directory.
func (w *walk) pointsInside(full, to string) bool {
	at := to
	if !filepath.IsAbs(to) {
		at = filepath.Join(filepath.Dir(full), to)
		if strings.HasPrefix(to, "..") {
			at = filepath.Join(full, to)
		}
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil { // the target does not exist
		at = filepath.Join(dir, filepath.Base(at))
	}
	rel, err := filepath.Rel(w.real, at)
	return err == nil && !strings.HasPrefix(rel, "..")
}
