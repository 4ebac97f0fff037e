package fileclient

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/value"
)

// localPiece is how many bytes of a local file are read at a time.
const localPiece = 1 << 20

// maxListed is the most paths of an environment.
const maxListed = 1 << 20

// Local is the [Source] for file_roots of this host. Each environment has folders; the
// first folder with a file provides it.
type Local struct {
	Roots    map[string][]string
	HashType string // of the hashes; "" means sha256
	// NoFollow ignores files that links place outside of the environment's folders, and
	// does not list folders behind links.
	NoFollow bool
}

var _ Source = Local{}

// dirs returns the folders of an environment. __env__ stands for each environment that is
// not named.
func (l Local) dirs(saltenv string) []string {
	dirs, ok := l.Roots[saltenv]
	if !ok && check("environment", saltenv) == nil {
		for _, dir := range l.Roots["__env__"] {
			dirs = append(dirs, strings.ReplaceAll(dir, "__env__", saltenv))
		}
	}
	return dirs
}

// Envs returns the environments, sorted.
func (l Local) Envs(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(l.Roots)), nil }

// find returns the file of a path.
func (l Local) find(saltenv, path string) (string, error) {
	if err := check("path", bare(path)); err != nil {
		return "", err
	}
	for _, dir := range l.dirs(saltenv) {
		full, err := inside(dir, bare(path))
		if err != nil {
			return "", err
		}
		//mutant:files-local-links
		if st, err := os.Stat(full); err == nil && st.Mode().IsRegular() && (!l.NoFollow || l.within(saltenv, full)) {
			return full, nil
		}
	}
	return "", absent(saltenv, path)
}

// within reports whether a file, with links resolved, lies in a folder of the environment.
func (l Local) within(saltenv, file string) bool {
	at, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(l.dirs(saltenv), func(dir string) bool {
		root, err := filepath.EvalSymlinks(dir)
		return err == nil && hasFolder(at, root)
	})
}

// List lists the paths of an environment. It follows links, once each.
func (l Local) List(ctx context.Context, kind Kind, saltenv, prefix string) ([]string, error) {
	set := map[string]bool{}
	prefix = strings.Trim(prefix, "/")
	for _, dir := range l.dirs(saltenv) {
		w := walk{ctx: ctx, root: dir, kind: kind, prefix: prefix, found: set}
		if l.NoFollow {
			w.within = func(file string) bool { return l.within(saltenv, file) }
		}
		if err := w.folder("", nil); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list the environment %s: %w", saltenv, err)
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// walk lists a folder and its subfolders.
type walk struct {
	ctx    context.Context
	root   string
	kind   Kind
	prefix string
	found  map[string]bool
	within func(file string) bool // nil: links are followed wherever they lead
}

// folder lists one folder. above are its parents, so that a link to one of them is not
// followed forever.
func (w *walk) folder(rel string, above []fs.FileInfo) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	full := filepath.Join(w.root, rel)
	st, err := os.Stat(full)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(above, func(up fs.FileInfo) bool { return os.SameFile(up, st) }) {
		return nil
	}
	above = append(above[:len(above):len(above)], st)
	entries, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	name := rel
	if name == "" {
		name = "."
	}
	if w.kind == Folders || w.kind == EmptyDirs && len(entries) == 0 {
		w.add(name)
	}
	for _, e := range entries {
		sub := filepath.Join(rel, e.Name())
		st, err := os.Stat(filepath.Join(w.root, sub))
		switch {
		case err != nil: // a dangling link
		case w.within != nil && e.Type()&fs.ModeSymlink != 0 && (st.IsDir() || !w.within(filepath.Join(w.root, sub))):
		case st.IsDir():
			if err := w.folder(sub, above); err != nil {
				return err
			}
		case w.kind == Files && st.Mode().IsRegular():
			w.add(sub)
		}
		if len(w.found) > maxListed {
			return fmt.Errorf("%s has more than %d paths", w.root, maxListed)
		}
	}
	return nil
}

func (w *walk) add(name string) {
	if strings.HasPrefix(name, w.prefix) {
		w.found[filepath.ToSlash(name)] = true
	}
}

// Symlinks maps links to their targets.
func (l Local) Symlinks(_ context.Context, saltenv, prefix string) (*value.Map, error) {
	links := map[string]string{}
	for _, dir := range slices.Backward(l.dirs(saltenv)) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Type()&fs.ModeSymlink == 0 {
				return nil //nolint:nilerr // skip what cannot be read
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			to, err := os.Readlink(path)
			if err == nil && strings.HasPrefix(rel, strings.Trim(prefix, "/")) {
				links[filepath.ToSlash(rel)] = to
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out := value.NewMap()
	for _, name := range slices.Sorted(maps.Keys(links)) {
		out.Set(name, links[name])
	}
	return out, nil
}

// Hash returns the hash of a file.
func (l Local) Hash(_ context.Context, saltenv, path string) (Hash, error) {
	full, err := l.find(saltenv, path)
	if err != nil {
		return Hash{}, err
	}
	h, err := crypt.NewHash(l.HashType)
	if err != nil {
		return Hash{}, err
	}
	f, err := os.Open(full)
	if err != nil {
		return Hash{}, err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return Hash{}, err
	}
	kind := l.HashType
	if kind == "" {
		kind = "sha256"
	}
	return Hash{kind, hex.EncodeToString(h.Sum(nil))}, nil
}

// Stat returns the fields of os.stat in Python.
func (l Local) Stat(_ context.Context, saltenv, path string) ([]int64, error) {
	full, err := l.find(saltenv, path)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	sys, ok := posix.StatOf(st)
	if !ok {
		return nil, nil
	}
	at := st.ModTime().Unix()
	return []int64{
		int64(sys.Mode), int64(sys.Ino), int64(sys.Dev), int64(sys.Nlink), int64(sys.Uid), int64(sys.Gid), st.Size(), at, at, at,
	}, nil
}

// Read returns a piece of a file. It ignores the compression level.
func (l Local) Read(_ context.Context, saltenv, path string, offset int64, _ int) ([]byte, error) {
	full, err := l.find(saltenv, path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	piece := make([]byte, localPiece)
	n, err := f.ReadAt(piece, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return piece[:n], nil
}
