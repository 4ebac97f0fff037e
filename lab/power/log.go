package power

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// inode is a file or folder of the recorded tree.
type inode struct {
	number int
	names  map[string]*inode // of a folder, as they are now; nil: a file
	size   int64             // of a file, as it is now

	// What was there before the record began counts as synced.
	oldNames map[string]*inode
	oldData  []byte
}

func (n *inode) folder() bool { return n.names != nil }

// name is one change of a folder: base leads to node, or to nothing.
type name struct {
	folder *inode
	base   string
	node   *inode
	path   string
}

// op is one operation of the record.
type op struct {
	names []name // more than one: a rename, which is done whole or not at all

	file *inode // that is written to, or cut off or grown to size
	off  int64
	data []byte // nil: size is the change
	size int64

	synced *inode // whose sync has ended; it covers what was done before since
	since  int
}

// Log is the record of what was done to the files below a folder, in one order for
// all who did it. It is safe for concurrent use.
type Log struct {
	root string // without links
	skip func(path string) bool

	mu    sync.Mutex
	top   *inode
	count int
	ops   []op
	fault error // why the record is not whole
}

// NewLog begins a record with what is below root; what skip names is passed over.
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

// Len is the number of operations so far: the point at which something done now stands.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ops)
}

// Fault tells why the record is not whole; nil: it is.
func (l *Log) Fault() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault
}

// covers tells whether a path belongs to the record.
func (l *Log) covers(path string) bool {
	return path == l.root || strings.HasPrefix(path, l.root+"/") && !l.skip(path)
}

// lost notes that something was done that the record cannot hold. l.mu is held.
func (l *Log) lost(format string, args ...any) {
	if l.fault == nil {
		l.fault = fmt.Errorf(format, args...)
	}
}

// find gives the folder and the name that a path has, and what is there: nil if nothing
// is. folder is nil if that is not there either. l.mu is held.
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

// The following note what a process does; l.mu is held.

func (l *Log) created(path string, isFolder bool) {
	folder, base, node := l.find(path)
	if folder == nil || node != nil {
		l.lost("%s was made, and is there or in no folder", path)
		return
	}
	l.rename(name{folder, base, l.inode(isFolder), path})
}

func (l *Log) removed(path string) {
	if folder, base, node := l.find(path); node != nil { // else a socket
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

// file is what a path leads to that is being written to; nil: a file that has no name any more.
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
