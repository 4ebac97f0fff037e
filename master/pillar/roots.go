package pillar

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
)

// Files is the source of the SLS of a pass, by environment. Paths are relative to the environment
// and use slashes. For a path that does not exist or leaves the environment, the error is
// fs.ErrNotExist.
type Files interface {
	// Envs lists the environments in the order of their top files.
	Envs() []string
	// List lists the paths of all files.
	List(ctx context.Context, env string) ([]string, error)
	// Open returns the content of a file.
	Open(ctx context.Context, env, path string) ([]byte, error)
	// Stamp changes when the file does; it is "" if the file does not exist. The path "" stands for
	// the list of files.
	Stamp(env, path string) string
}

const (
	// maxFile limits one file, in bytes.
	maxFile = 16 << 20
	// maxFiles limits the files in one directory tree of pillar_roots.
	maxFiles = 200_000
	// keptFiles and keptBytes limit the cached files.
	keptFiles = 4096
	keptBytes = 64 << 10 // of one file; larger ones are read again
	// keptLists limits the directories with cached lists: with __env__, clients choose some.
	keptLists = 256
	// settled is the minimum age of the last change of a cached file or directory. A second change
	// within one tick of the file system's clock would go unnoticed.
	settled = 2 * time.Second
)

// Disk reads and caches directories. Each read compares the cache with the state of the disk. It is
// shared by all readers.
type Disk struct {
	files *lru.Guarded[string, keptFile]
	now   func() time.Time

	mu    sync.Mutex
	lists *lru.Guarded[string, *folderList] // by directory
}

type keptFile struct {
	stamp string
	data  []byte
}

// NewDisk returns a Disk with an empty cache.
func NewDisk(now func() time.Time) *Disk {
	return &Disk{files: lru.NewGuarded[string, keptFile](keptFiles, nil), now: now, lists: lru.NewGuarded[string, *folderList](keptLists, nil)}
}

// Roots are environments made of directories of this machine. Links are followed, as is the default
// for pillar_roots: the administrator put them there.
type Roots struct {
	Disk *Disk
	// Order lists the environments, Folders the directories of each.
	Order   []string
	Folders map[string][]string
}

// anyEnv is the environment that stands for all others.
const anyEnv = "__env__"

// For returns the roots with __env__ renamed to a requested environment.
func (r *Roots) For(env string) *Roots {
	folders, ok := r.Folders[anyEnv]
	if !ok {
		return r
	}
	out := &Roots{Disk: r.Disk, Folders: map[string][]string{}}
	for _, e := range r.Order {
		switch {
		case e != anyEnv:
			out.Order, out.Folders[e] = append(out.Order, e), r.Folders[e]
		case r.Folders[env] == nil:
			if !local(env) { // env becomes part of a path
				continue
			}
			out.Order = append(out.Order, env)
			for _, f := range folders {
				out.Folders[env] = append(out.Folders[env], strings.ReplaceAll(f, anyEnv, env))
			}
		}
	}
	return out
}

// Envs lists the environments.
func (r *Roots) Envs() []string { return r.Order }

// local reports whether a path stays below its start.
func local(p string) bool {
	return p != "" && !strings.ContainsAny(p, "\x00\\") && filepath.IsLocal(p) && !slices.Contains(strings.Split(p, "/"), "..")
}

// find returns the full path of a file, and its state.
func (r *Roots) find(env, name string) (full string, st fs.FileInfo, err error) {
	//mutant:pillar-paths-stay-below
	if !local(name) {
		return "", nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	for _, dir := range r.Folders[env] {
		full = filepath.Join(dir, filepath.FromSlash(name))
		if st, err = os.Stat(full); err == nil && st.Mode().IsRegular() {
			return full, st, nil
		}
		if err != nil && os.IsPermission(err) {
			return "", nil, err
		}
	}
	return "", nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// Open reads a file.
func (r *Roots) Open(_ context.Context, env, name string) ([]byte, error) {
	full, st, err := r.find(env, name)
	if err != nil {
		return nil, err
	}
	return r.Disk.read(full, st)
}

// Stamp returns the state of a file, or of the list, as a string.
func (r *Roots) Stamp(env, name string) string {
	if name == "" {
		var b strings.Builder
		for _, dir := range r.Folders[env] {
			b.WriteString(r.Disk.list(dir).stamp)
			b.WriteByte(';')
		}
		return b.String()
	}
	full, st, err := r.find(env, name)
	if err != nil {
		return ""
	}
	return full + "\x00" + stampOf(st)
}

// List lists the files of an environment, sorted and without duplicates.
func (r *Roots) List(_ context.Context, env string) ([]string, error) {
	var out []string
	for _, dir := range r.Folders[env] {
		l := r.Disk.list(dir)
		if l.err != nil {
			return nil, l.err
		}
		out = append(out, l.files...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// read reads a file whose state is st.
func (d *Disk) read(full string, st fs.FileInfo) ([]byte, error) {
	if st.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are rendered", full, st.Size(), maxFile)
	}
	stamp := stampOf(st)
	d.mu.Lock()
	k, ok := d.files.Get(full)
	d.mu.Unlock()
	if ok && k.stamp == stamp {
		return k.data, nil
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Errorf("read a pillar file: %w", err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has grown beyond the %d bytes that are rendered", full, maxFile)
	}
	if len(data) <= keptBytes && d.now().Sub(st.ModTime()) > settled {
		d.mu.Lock()
		d.files.Add(full, keptFile{stamp, data})
		d.mu.Unlock()
	}
	return data, nil
}

// folderList is the cached list of a directory tree.
type folderList struct {
	files []string
	dirs  []string // with their states, to detect changes
	was   []string
	stamp string
	firm  bool // later changes alter the states
	err   error
}

// list returns the current files of a directory. It walks the tree only if one of its directories
// has changed.
func (d *Disk) list(dir string) *folderList {
	d.mu.Lock()
	l, _ := d.lists.Get(dir)
	d.mu.Unlock()
	if l != nil && l.firm && l.current() {
		return l
	}
	l = d.walk(dir)
	d.mu.Lock()
	d.lists.Add(dir, l)
	d.mu.Unlock()
	return l
}

func (l *folderList) current() bool {
	for i, dir := range l.dirs {
		if dirState(dir) != l.was[i] {
			return false
		}
	}
	return true
}

func dirState(dir string) string {
	st, err := os.Stat(dir)
	if err != nil {
		return "none"
	}
	return stampOf(st)
}

// at is a directory with its ancestors.
type at struct {
	full, rel string
	in        *at
	st        fs.FileInfo
}

// within reports whether a directory is one of the ancestors, through a link.
func (a *at) within(st fs.FileInfo) bool {
	for up := a.in; up != nil; up = up.in {
		if os.SameFile(up.st, st) {
			return true
		}
	}
	return false
}

// walk lists a directory tree. A missing one is empty.
func (d *Disk) walk(root string) *folderList {
	l := &folderList{firm: true}
	todo := []at{{full: root}}
	for len(todo) > 0 {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		st, err := os.Stat(dir.full)
		state := dirState(dir.full)
		l.dirs, l.was = append(l.dirs, dir.full), append(l.was, state)
		if err != nil || !st.IsDir() {
			continue
		}
		if dir.within(st) {
			continue
		}
		dir.st = st
		l.firm = l.firm && d.now().Sub(st.ModTime()) > settled
		entries, err := os.ReadDir(dir.full)
		if err != nil {
			l.err = fmt.Errorf("list %s: %w", dir.full, err)
			continue
		}
		for _, e := range entries {
			next := at{full: filepath.Join(dir.full, e.Name()), rel: path.Join(dir.rel, e.Name()), in: &dir}
			mode := e.Type()
			if mode&fs.ModeSymlink != 0 {
				if st, err := os.Stat(next.full); err == nil {
					mode = st.Mode()
				}
				l.firm = false // targets of links may change unnoticed
			}
			switch {
			case mode.IsDir():
				todo = append(todo, next)
			case mode.IsRegular():
				l.files = append(l.files, next.rel)
			}
		}
		if len(l.files)+len(todo) > maxFiles {
			l.err = fmt.Errorf("%s has more than %d files and folders", root, maxFiles)
			break
		}
	}
	l.stamp = strings.Join(l.was, ",")
	if !l.firm { // use the list itself
		l.stamp += "\x00" + strings.Join(l.files, "\x00")
	}
	return l
}

// stampOf returns the state of a file or directory as a string.
func stampOf(st fs.FileInfo) string {
	b := binary.AppendVarint(nil, st.ModTime().UnixNano())
	b = binary.AppendVarint(b, st.Size())
	b = binary.AppendUvarint(b, inode(st))
	return string(b)
}
