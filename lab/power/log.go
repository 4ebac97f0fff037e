package power

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// inode is a file or directory of the recorded tree.
type inode struct {
	number int
	names  map[string]*inode // current names of a directory; nil: a file
	size   int64             // current size of a file

	// Contents from before the record count as synced.
	oldNames map[string]*inode
	oldData  []byte
}

func (n *inode) folder() bool { return n.names != nil }

// name is one change of a directory: base leads to node, or to nothing.
type name struct {
	folder *inode
	base   string
	node   *inode
	path   string
}

// op is one operation of the record.
type op struct {
	names []name // more than one: a rename, which is atomic

	file *inode // file that is written, or truncated or extended to size
	off  int64
	data []byte // nil: only the size changes
	size int64

	synced *inode // inode whose sync has completed; it covers the operations before since
	since  int
}

// Log records the operations on files below a directory, in one order for all processes. It is safe
// for concurrent use.
type Log struct {
	root string // with links resolved
	skip func(path string) bool

	mu    sync.Mutex
	top   *inode
	count int
	ops   []op
	fault error // why the record is incomplete
}

// NewLog begins a record of the files below root. It skips the names in skip.
func NewLog(root string, skip func(path string) bool) (*Log, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	l := &Log{root: root, skip: skip}
	l.top = l.inode(true)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root || skip(path) {
			return err
		}
		n := l.inode(e.IsDir())
		if !e.IsDir() {
			if n.oldData, err = os.ReadFile(path); err != nil {
				return err
			}
			n.size = int64(len(n.oldData))
		}
		folder, base, _ := l.find(path)
		folder.names[base], folder.oldNames[base] = n, n
		return nil
	})
	return l, err
}

func (l *Log) inode(folder bool) *inode {
	l.count++
	n := &inode{number: l.count}
	if folder {
		n.names, n.oldNames = map[string]*inode{}, map[string]*inode{}
	}
	return n
}

// Len returns the number of operations so far: the position of the next one.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ops)
}

// Fault returns why the record is incomplete, or nil.
func (l *Log) Fault() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault
}

// covers reports whether a path belongs to the record.
func (l *Log) covers(path string) bool {
	return path == l.root || strings.HasPrefix(path, l.root+"/") && !l.skip(path)
}

// lost records an operation that the record cannot express. l.mu is held.
func (l *Log) lost(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// find returns the directory and the name of a path, and its inode, or nil if it does not exist.
// folder is nil if the directory does not exist either. l.mu is held.
func (l *Log) find(path string) (folder *inode, base string, node *inode) {
	node = l.top
	rest := strings.TrimPrefix(strings.TrimPrefix(path, l.root), "/")
	for rest != "" {
		if folder = node; folder == nil || !folder.folder() {
			return nil, "", nil
		}
		base, rest, _ = strings.Cut(rest, "/")
		node = folder.names[base]
	}
	return folder, base, node
}

func (l *Log) rename(changes ...name) {
	for _, c := range changes {
		if c.node == nil {
			delete(c.folder.names, c.base)
		} else {
			c.folder.names[c.base] = c.node
		}
	}
	l.ops = append(l.ops, op{names: changes})
}

// The methods below record what a process does; l.mu is held.

func (l *Log) created(path string, isFolder bool) {
	folder, base, node := l.find(path)
	if folder == nil || node != nil {
		l.lost("%s was made, and is there or in no folder", path)
		return
	}
	l.rename(name{folder, base, l.inode(isFolder), path})
}

func (l *Log) removed(path string) {
	if folder, base, node := l.find(path); node != nil { // otherwise a socket
		l.rename(name{folder, base, nil, path})
	}
}

func (l *Log) linked(from, to string) {
	_, _, node := l.find(from)
	folder, base, _ := l.find(to)
	if node == nil || folder == nil {
		l.lost("%s was linked to %s, which is not known", from, to)
		return
	}
	l.rename(name{folder, base, node, to})
}

func (l *Log) renamed(from, to string) {
	was, wasBase, node := l.find(from)
	folder, base, _ := l.find(to)
	if node == nil || folder == nil {
		l.lost("%s was renamed to %s, which is not known", from, to)
		return
	}
	l.rename(name{was, wasBase, nil, from}, name{folder, base, node, to})
}

// file returns the file to which a path leads, for writing, or nil if the file has no name any more.
func (l *Log) file(path string) *inode {
	if strings.HasSuffix(path, " (deleted)") {
		return nil
	}
	_, _, node := l.find(path)
	if node == nil || node.folder() {
		l.lost("%s was written to and is not known", path)
		return nil
	}
	return node
}

func (l *Log) wrote(f *inode, off int64, data []byte) {
	if len(data) > 0 {
		f.size = max(f.size, off+int64(len(data)))
		l.ops = append(l.ops, op{file: f, off: off, data: data})
	}
}

func (l *Log) resized(f *inode, size int64) {
	if size != f.size {
		f.size = size
		l.ops = append(l.ops, op{file: f, size: size})
	}
}

func (l *Log) ended(n *inode, since int) { l.ops = append(l.ops, op{synced: n, since: since}) }
