package gitrepo

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Tree is a directory of a snapshot.
type Tree struct {
	s    *Snapshot
	hash plumbing.Hash
	// Time is the time of its commit, in seconds since 1970.
	Time int64
}

// Hash identifies the tree.
func (t Tree) Hash() string { return t.hash.String() }

// Blob is a file of a tree.
type Blob struct {
	s    *Snapshot
	hash plumbing.Hash
	// Mode is git's: 0100644, 0100755, or 0120000 for a link.
	Mode uint32
	// Size in bytes.
	Size int64
}

// Hash returns git's hash of the content.
func (b Blob) Hash() string { return b.hash.String() }

// proper reports whether name is a valid name of a file or directory. A crafted tree may contain
// any bytes.
func proper(name string) bool {
	//mutant:git-names
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00") && !strings.EqualFold(name, ".git")
}

// entries reads a directory. It omits entries with unsafe names and submodules.
func (s *Snapshot) entries(h plumbing.Hash) ([]object.TreeEntry, error) {
	if list, ok := s.trees.Get(h); ok {
		return list, nil
	}
	o, err := s.small(plumbing.TreeObject, h)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", h, err)
	}
	var t object.Tree
	if err := t.Decode(o); err != nil {
		return nil, fmt.Errorf("tree %s: %w", h, err)
	}
	list := slices.DeleteFunc(t.Entries, func(e object.TreeEntry) bool { return !proper(e.Name) || e.Mode == filemode.Submodule })
	slices.SortStableFunc(list, func(a, b object.TreeEntry) int { return strings.Compare(a.Name, b.Name) })
	if len(list) <= cachedTree {
		s.trees.Add(h, list)
	}
	return list, nil
}

// at finds what is at a path without following links.
func (t Tree) at(p string) (object.TreeEntry, error) {
	here := object.TreeEntry{Mode: filemode.Dir, Hash: t.hash}
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." {
			continue
		}
		if here.Mode != filemode.Dir {
			return here, fs.ErrNotExist
		}
		list, err := t.s.entries(here.Hash)
		if err != nil {
			return here, err
		}
		i, ok := slices.BinarySearchFunc(list, name, func(e object.TreeEntry, name string) int { return strings.Compare(e.Name, name) })
		if !ok {
			return here, fs.ErrNotExist
		}
		here = list[i]
	}
	return here, nil
}

// Sub returns the directory at a path, or fs.ErrNotExist.
func (t Tree) Sub(p string) (Tree, error) {
	e, err := t.at(p)
	if err != nil {
		return Tree{}, err
	}
	if e.Mode != filemode.Dir {
		return Tree{}, fmt.Errorf("%s is not a directory: %w", p, fs.ErrNotExist)
	}
	return Tree{t.s, e.Hash, t.Time}, nil
}

// Find finds the file at a path below root. As in Salt it follows links to files inside the tree:
// such a link may leave root, but not the repository. A path through a link to a directory is not
// followed. If the file does not exist, the error is fs.ErrNotExist.
func (t Tree) Find(root, p string) (Blob, error) {
	p = path.Join(root, p)
	for range maxLinks {
		e, err := t.at(p)
		switch {
		case err != nil:
			return Blob{}, err
		case e.Mode == filemode.Dir:
			return Blob{}, fs.ErrNotExist
		case e.Mode != filemode.Symlink:
			return t.blob(e)
		}
		to, err := t.link(e)
		if err != nil {
			return Blob{}, err
		}
		p = path.Join(path.Dir(p), strings.TrimLeft(to, "/"))
		if p == ".." || strings.HasPrefix(p, "../") {
			return Blob{}, fs.ErrNotExist
		}
	}
	return Blob{}, fs.ErrNotExist
}

func (t Tree) blob(e object.TreeEntry) (Blob, error) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	size, err := t.s.store.EncodedObjectSize(e.Hash)
	if err != nil {
		return Blob{}, fmt.Errorf("blob %s: %w", e.Hash, err)
	}
	return Blob{t.s, e.Hash, uint32(e.Mode), size}, nil
}

// link reads the target of a link. A target longer than a path does not exist.
func (t Tree) link(e object.TreeEntry) (string, error) {
	b, err := t.blob(e)
	if err != nil {
		return "", err
	}
	if b.Size > maxPath {
		return "", fmt.Errorf("a link of %d bytes: %w", b.Size, fs.ErrNotExist)
	}
	text, err := b.Bytes(maxPath)
	return string(text), err
}

// Bytes returns the content of a file of at most max bytes.
func (b Blob) Bytes(max int64) ([]byte, error) {
	if b.Size > max {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, b.Size, max)
	}
	r, err := b.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := make([]byte, b.Size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("blob %s: %w", b.hash, err)
	}
	return out, nil
}

// Open opens a file. A large one is read in pieces.
func (b Blob) Open() (io.ReadCloser, error) {
	store := b.s.store
	if b.Size > streamed {
		var err error
		if store, err = b.s.own(b.hash); err != nil {
			return nil, fmt.Errorf("blob %s: %w", b.hash, err)
		}
	} else {
		b.s.mu.Lock()
		defer b.s.mu.Unlock()
	}
	o, err := store.EncodedObject(plumbing.BlobObject, b.hash)
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", b.hash, err)
	}
	r, err := o.Reader()
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", b.hash, err)
	}
	return r, nil
}

// Listing holds all paths of a tree, sorted.
type Listing struct {
	Files, Dirs []string
	Links       map[string]string // link: target as written
}

// listing is a Listing under construction.
type listing struct {
	Listing
	left int // remaining bytes for paths
}

// add counts the bytes of a path.
func (l *listing) add(path string, limit int) error {
	//mutant:git-long-names
	if l.left -= len(path); l.left < 0 {
		return fmt.Errorf("%w: paths of more than %d bytes together", ErrLimit, limit)
	}
	return nil
}

// List lists a tree. A link whose target is not a path is a file without a target.
func (t Tree) List(ctx context.Context) (*Listing, error) {
	out := &listing{Listing{Links: map[string]string{}}, t.s.l.Names}
	if err := t.list(ctx, out, t.hash, "", 0); err != nil {
		return nil, err
	}
	slices.Sort(out.Files)
	slices.Sort(out.Dirs)
	return &out.Listing, nil
}

func (t Tree) list(ctx context.Context, out *listing, h plumbing.Hash, dir string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("%w: folders more than %d deep", ErrLimit, maxDepth)
	}
	list, err := t.s.entries(h)
	if err != nil {
		return err
	}
	for i, e := range list {
		if i > 0 && e.Name == list[i-1].Name {
			continue // a crafted tree
		}
		p := path.Join(dir, e.Name)
		//mutant:git-bombs
		if len(out.Files)+len(out.Dirs) >= t.s.l.Files || len(p) > maxPath {
			return fmt.Errorf("%w: more than %d files and folders, or a path of more than %d bytes", ErrLimit, t.s.l.Files, maxPath)
		}
		if err := out.add(p, t.s.l.Names); err != nil {
			return err
		}
		if e.Mode == filemode.Dir {
			out.Dirs = append(out.Dirs, p)
			if err := t.list(ctx, out, e.Hash, p, depth+1); err != nil {
				return err
			}
			continue
		}
		out.Files = append(out.Files, p)
		if e.Mode == filemode.Symlink {
			if to, err := t.link(e); err == nil {
				if err := out.add(to, t.s.l.Names); err != nil {
					return err
				}
				out.Links[p] = to
			}
		}
	}
	return nil
}
