package functions

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// check sets the changes of a folder and the result of a test run.
func (d *directory) check(ctx context.Context) (*states.Result, error) {
	changes := value.NewMap()
	recurse, err := d.recurse()
	if err != nil {
		return bad(d.res.Name, "%s", err.Error()), nil
	}
	own := d.owners
	if len(recurse) > 0 {
		dirs, files := d.limited(recurse)
		own = dirs // as in Salt: with recurse, the same owners apply to the folder itself
		if err := d.checkInside(changes, recurse, dirs, files); err != nil {
			return nil, err
		}
	}
	if !d.Truth("children_only") {
		if err := d.meta(changes, d.name, own); err != nil {
			return nil, err
		}
	}
	if d.Truth("clean") {
		if err := d.checkClean(ctx, changes); err != nil {
			return nil, err
		}
	}
	if !isDir(d.name) {
		changes.Set(d.name, value.NewMap("directory", "new"))
	}
	changes.Range(func(k, v any) bool {
		d.res.Changes.Set(k, v)
		return true
	})
	if changes.Len() == 0 {
		return good(d.res.Name, fmt.Sprintf("The directory %s is in the correct state", d.name)), nil
	}
	var b strings.Builder
	b.WriteString("The following files will be changed:\n")
	changes.Range(func(path, what any) bool {
		m, _ := what.(*value.Map)
		m.Range(func(k, v any) bool {
			fmt.Fprintf(&b, "%s: %s - %s\n", pystr(path), pystr(k), pystr(v))
			return true
		})
		return true
	})
	return would(d.res.Name, b.String(), changes), nil
}

// meta adds the changes of owner and mode of one path.
func (d *directory) meta(changes *value.Map, path string, o owners) error {
	now, err := infoOf(path, d.Truth("follow_symlinks"))
	if err != nil { // for any error, as in Salt
		changes.Set(path, value.NewMap("directory", "new"))
		return nil
	}
	if now.isLink() && !d.Truth("follow_symlinks") {
		o.mode = ""
	}
	m := value.NewMap()
	if metaChanges(m, now, o); m.Len() > 0 {
		changes.Set(path, m)
	}
	return nil
}

func (d *directory) checkInside(changes *value.Map, recurse []string, dirs, files owners) error {
	walk, err := d.inside()
	if err != nil {
		return err
	}
	for _, f := range walk {
		if !slices.Contains(recurse, "ignore_files") {
			for _, n := range f.files {
				if err := d.meta(changes, filepath.Join(f.path, n), files); err != nil {
					return err
				}
			}
		}
		if !slices.Contains(recurse, "ignore_dirs") {
			for _, n := range f.dirs {
				if err := d.meta(changes, filepath.Join(f.path, n), dirs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (d *directory) checkClean(ctx context.Context, changes *value.Map) error {
	gone, err := d.unkept(ctx)
	for _, path := range gone {
		changes.Set(path, value.NewMap("removed", "Removed due to clean"))
	}
	return err
}

// unkept returns the paths in the folder that no required state keeps and that are not
// excluded.
func (d *directory) unkept(ctx context.Context) ([]string, error) {
	walk, err := d.inside()
	if err != nil {
		return nil, err
	}
	keep, err := d.kept(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range walk {
		for _, n := range slices.Concat(f.files, f.dirs) {
			path := filepath.Join(f.path, n)
			rel, err := filepath.Rel(d.name, path)
			if err != nil {
				return nil, err
			}
			if !keep[path] && !excluded(rel, d.Value("exclude_pat")) {
				out = append(out, path)
			}
		}
	}
	return out, nil
}

// kept returns the paths of the file states that the folder requires, with the folders
// above and below them. For a file.recurse, these are the paths it keeps.
func (d *directory) kept(ctx context.Context) (map[string]bool, error) {
	keep := map[string]bool{}
	add := func(path string) {
		for p := filepath.Clean(path); len(p) > len(d.name); p = filepath.Dir(p) {
			keep[p] = true
		}
	}
	for _, path := range d.keeps {
		add(path)
	}
	for _, req := range d.Low.List("require") {
		m, _ := req.(*value.Map)
		want := get(m, "file")
		if want == nil {
			continue
		}
		for _, low := range d.Chunks {
			if !states.Same(get(low, "name"), want) && !states.Same(get(low, "__id__"), want) {
				continue
			}
			path := pystr(get(low, "name"))
			if clean := filepath.Clean(path); clean != d.name && !strings.HasPrefix(clean, d.name+"/") {
				continue
			}
			add(path)
			if isDir(path) && get(low, "fun") == "recurse" {
				paths, err := d.recursed(ctx, low)
				if err != nil {
					return nil, err
				}
				for _, p := range paths {
					add(p)
				}
				continue
			}
			if isDir(path) {
				_ = filepath.WalkDir(path, func(p string, _ fs.DirEntry, err error) error {
					if err == nil {
						add(p)
					}
					return nil
				})
			}
		}
	}
	return keep, nil
}

// excluded reports whether a path matches a glob, a regular expression after E@, or one of
// a list of them.
func excluded(path string, pattern any) bool {
	if !pyfmt.Truth(pattern) {
		return false
	}
	return slices.ContainsFunc(texts(pattern), func(p string) bool {
		if re, ok := strings.CutPrefix(p, "E@"); ok {
			return target.NewPattern(".*(?:" + re + ").*").Match(path)
		}
		return target.Glob(p, path)
	})
}

// clean removes paths that are not kept, and returns them.
func (d *directory) clean(ctx context.Context) ([]any, error) {
	gone, err := d.unkept(ctx)
	if err != nil {
		return nil, err
	}
	var out []any
	for _, path := range gone {
		if !lexists(path) {
			continue // removed with its folder
		}
		if isDir(path) && !isLink(path) && d.holdsKept(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, nil
}

// holdsKept reports whether a folder contains something excluded from cleaning, so that the
// folder stays.
func (d *directory) holdsKept(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if rel, bad := filepath.Rel(d.name, p); err == nil && bad == nil && excluded(rel, d.Value("exclude_pat")) {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}
