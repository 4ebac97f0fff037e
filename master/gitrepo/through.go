package gitrepo

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// resolve finds what is at a path as in a checkout: links are followed anywhere on the path, but
// not out of the repository. real is the resolved path.
func (t Tree) resolve(p string) (e object.TreeEntry, real string, err error) {
	rest := strings.Split(p, "/")
	e = object.TreeEntry{Mode: filemode.Dir, Hash: t.hash}
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if real == "" {
				//mutant:git-links-out
				return e, "", fs.ErrNotExist
			}
			if real = path.Dir(real); real == "." {
				real = ""
			}
			if e, err = t.at(real); err != nil {
				return e, "", err
			}
			continue
		}
		next := path.Join(real, name)
		if e, err = t.at(next); err != nil {
			return e, "", err
		}
		if e.Mode != filemode.Symlink {
			real = next
			continue
		}
		to, err := t.link(e)
		if err != nil {
			return e, "", err
		}
		if links++; links > maxLinks || strings.HasPrefix(to, "/") || len(rest) > maxPath {
			return e, "", fs.ErrNotExist
		}
		rest = append(strings.Split(to, "/"), rest...)
		if e, err = t.at(real); err != nil {
			return e, "", err
		}
	}
	return e, real, nil
}

// Folder returns nil if there is a directory at a path; otherwise an error that wraps
// fs.ErrNotExist.
func (t Tree) Folder(p string) error {
	e, _, err := t.resolve(p)
	if err == nil && e.Mode != filemode.Dir {
		err = fs.ErrNotExist
	}
	return err
}

// FindThrough is [Tree.Find] for reading a repository as if it were checked out: links to
// directories are followed, too.
func (t Tree) FindThrough(root, p string) (Blob, error) {
	e, _, err := t.resolve(root + "/" + p)
	if err != nil {
		return Blob{}, err
	}
	if e.Mode == filemode.Dir {
		return Blob{}, fs.ErrNotExist
	}
	return t.blob(e)
}

// ListThrough lists the files below root in the same way, sorted. It does not list a directory
// inside itself.
func (t Tree) ListThrough(ctx context.Context, root string) ([]string, error) {
	w := &through{t: t}
	if err := w.folder(ctx, root, "", nil); err != nil {
		return nil, err
	}
	slices.Sort(w.files)
	return w.files, nil
}

type through struct {
	t     Tree
	files []string
	seen  int
	bytes int // of paths
}

func (w *through) folder(ctx context.Context, at, shown string, above []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, real, err := w.t.resolve(at)
	if err != nil || e.Mode != filemode.Dir || slices.Contains(above, real) {
		return err
	}
	if len(above) > maxDepth {
		return fmt.Errorf("%w: folders more than %d deep", ErrLimit, maxDepth)
	}
	above = append(above[:len(above):len(above)], real)
	list, err := w.t.s.entries(e.Hash)
	if err != nil {
		return err
	}
	for _, e := range list {
		if w.seen++; w.seen > w.t.s.l.Files {
			return fmt.Errorf("%w: more than %d files and folders", ErrLimit, w.t.s.l.Files)
		}
		in, out := path.Join(real, e.Name), path.Join(shown, e.Name)
		if w.bytes += len(out); w.bytes > w.t.s.l.Names {
			return fmt.Errorf("%w: paths of more than %d bytes together", ErrLimit, w.t.s.l.Names)
		}
		if e.Mode == filemode.Symlink {
			if e, _, err = w.t.resolve(in); err != nil {
				continue // broken link
			}
		}
		if e.Mode != filemode.Dir {
			w.files = append(w.files, out)
		} else if err := w.folder(ctx, in, out, above); err != nil {
			return err
		}
	}
	return nil
}
