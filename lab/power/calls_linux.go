package power

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// opens are the flags with which open changes something.
const opens = unix.O_CREAT | unix.O_TRUNC | unix.O_DSYNC | unix.O_TMPFILE&^unix.O_DIRECTORY

// call is a system call that waits for the recorder.
type call struct {
	notification
	log *Log

	goes  bool       // the kernel carries the call out
	errno unix.Errno // otherwise the result of the call, carried out here
	syncs *inode     // the inode that the call syncs
}

// calls are the system calls that may change files, with their handlers; log.mu is held. A change
// that the record cannot express makes the record invalid.
var calls map[uintptr]func(*call)

func init() {
	calls = map[uintptr]func(*call){
		unix.SYS_WRITE: func(c *call) { c.writes(c.position) },
		unix.SYS_PWRITE64: func(c *call) {
			c.writes(func(*inode) (int64, error) { return int64(c.args[3]), nil })
		},
		unix.SYS_OPENAT:    func(c *call) { c.opens(c.path(0, 1), int(c.args[2]), uint32(c.args[3])) },
		unix.SYS_FTRUNCATE: (*call).truncates,
		unix.SYS_FSYNC:     (*call).waits,
		unix.SYS_FDATASYNC: (*call).waits,
		unix.SYS_MKDIRAT:   func(c *call) { c.makes(c.path(0, 1), uint32(c.args[2])) },
		unix.SYS_UNLINKAT:  func(c *call) { c.unlinks(c.path(0, 1), int(c.args[2])) },
		unix.SYS_RENAMEAT:  func(c *call) { c.renames(c.path(0, 1), c.path(2, 3), 0) },
		unix.SYS_RENAMEAT2: func(c *call) { c.renames(c.path(0, 1), c.path(2, 3), uint(c.args[4])) },
		unix.SYS_LINKAT:    func(c *call) { c.links(c.path(0, 1), c.path(2, 3)) },
		unix.SYS_MMAP:      (*call).maps,

		unix.SYS_TRUNCATE:        func(c *call) { c.unknown(c.path(-1, 0)) },
		unix.SYS_SYMLINKAT:       func(c *call) { c.unknown(c.path(1, 2)) },
		unix.SYS_MKNODAT:         func(c *call) { c.unknown(c.path(0, 1)) },
		unix.SYS_OPENAT2:         func(c *call) { c.unknown(c.path(0, 1)) },
		unix.SYS_WRITEV:          func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_PWRITEV:         func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_PWRITEV2:        func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_FALLOCATE:       func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_SENDFILE:        func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_SPLICE:          func(c *call) { c.unknown(c.open(2)) },
		unix.SYS_COPY_FILE_RANGE: func(c *call) { c.unknown(c.open(2)) },
		unix.SYS_SYNC_FILE_RANGE: func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_SYNCFS:          func(c *call) { c.unknown(c.open(0)) },
		unix.SYS_SYNC:            func(c *call) { c.unknown(c.log.root) },
		unix.SYS_IO_URING_SETUP:  func(c *call) { c.unknown(c.log.root) },
	}
	olderCalls()
}

// read copies memory of the process.
func (c *call) read(at uint64, n int) []byte {
	b := make([]byte, n)
	if n == 0 {
		return b
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(n)
	got, err := unix.ProcessVMReadv(int(c.pid), local, []unix.RemoteIovec{{Base: uintptr(at), Len: n}}, 0)
	if err != nil || got != n {
		c.log.lost("read %d bytes of process %d: %d, %w", n, c.pid, got, err)
	}
	return b[:max(got, 0)]
}

// text reads a string that ends with a zero byte, at most as long as a path.
func (c *call) text(at uint64) string {
	const page = 4096
	var b []byte
	for len(b) < page {
		b = append(b, c.read(at, page-int(at%page))...) // the next page may not be mapped
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(b[:end])
		}
		at += page - at%page
	}
	return string(b)
}

// path returns the path in the arguments: the number of an open directory, -1 for none, and a string.
func (c *call) path(folder, at int) string {
	path := c.text(c.args[at])
	switch {
	case filepath.IsAbs(path):
	case folder >= 0 && int32(c.args[folder]) != unix.AT_FDCWD:
		path = filepath.Join(c.open(folder), path)
	default:
		here, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", c.pid))
		if err != nil {
			c.log.lost("where is process %d: %w", c.pid, err)
		}
		path = filepath.Join(here, path)
	}
	return filepath.Clean(path)
}

// open returns the path of the file that an argument has open, or "" if it is not a file.
func (c *call) open(arg int) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.pid, int32(c.args[arg])))
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// does carries a call out in place of the process.
func (c *call) does(err error) bool {
	if err != nil && !errors.As(err, &c.errno) {
		c.log.lost("carry out a call: %w", err)
		c.errno = unix.EIO
	}
	return err == nil
}

func (c *call) unknown(paths ...string) {
	c.goes = true
	for _, path := range paths {
		if c.log.covers(path) {
			c.log.lost("process %d changes %s by call %d, which is not recorded", c.pid, path, c.number)
		}
	}
}

// covered reports whether a call about these paths must be recorded. Otherwise the kernel carries it out.
func (c *call) covered(paths ...string) bool {
	for _, path := range paths {
		if !c.log.covers(path) {
			c.unknown(paths...) // one path inside, another outside
			return false
		}
	}
	return true
}

func (c *call) writes(where func(*inode) (int64, error)) {
	c.goes = true
	path := c.open(0)
	if !c.covered(path) {
		return
	}
	f := c.log.file(path)
	if f == nil {
		return
	}
	at, err := where(f)
	if err != nil {
		c.log.lost("where %s is written to: %w", path, err)
	}
	c.log.wrote(f, at, c.read(c.args[1], int(c.args[2])))
}

// position returns the offset of the next write.
func (c *call) position(f *inode) (pos int64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.pid, int32(c.args[0])))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		switch what, value, _ := strings.Cut(strings.TrimSpace(line), ":"); what {
		case "pos":
			pos, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		case "flags":
			flags, flagsErr := strconv.ParseInt(strings.TrimSpace(value), 8, 64)
			if flagsErr != nil {
				return 0, flagsErr
			}
			if flags&unix.O_APPEND != 0 {
				return f.size, nil
			}
		}
	}
	return pos, err
}

func (c *call) opens(path string, flags int, mode uint32) {
	c.goes = true
	if !c.covered(path) {
		return
	}
	if flags&(unix.O_DSYNC|unix.O_TMPFILE&^unix.O_DIRECTORY) != 0 {
		c.unknown(path)
		return
	}
	folder, _, node := c.log.find(path)
	switch {
	case folder == nil || node != nil && node.folder(): // the call will fail
	case node == nil && flags&unix.O_CREAT != 0:
		if _, err := os.Lstat(path); err == nil {
			return // a socket, or a skipped file
		}
		if flags&unix.O_EXCL == 0 { // created here, so that it is not created twice
			fd, err := unix.Open(path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, mode)
			if err == nil {
				err = unix.Close(fd)
			}
			if err != nil {
				return // the kernel returns the same error
			}
		}
		c.log.created(path, false)
	case node != nil && flags&unix.O_TRUNC != 0 && flags&unix.O_EXCL == 0:
		c.log.resized(node, 0)
	}
}

func (c *call) truncates() {
	c.goes = true
	if path := c.open(0); c.covered(path) {
		if f := c.log.file(path); f != nil {
			c.log.resized(f, int64(c.args[1]))
		}
	}
}

func (c *call) waits() {
	path := c.open(0)
	if c.goes = !c.covered(path); !c.goes {
		_, _, c.syncs = c.log.find(path) // nil: the file is unlinked
	}
}

func (c *call) makes(path string, mode uint32) {
	if c.covered(path) && c.does(unix.Mkdir(path, mode)) {
		c.log.created(path, true)
	}
}

func (c *call) unlinks(path string, flags int) {
	if c.covered(path) && c.does(unix.Unlinkat(unix.AT_FDCWD, path, flags)) {
		c.log.removed(path)
	}
}

func (c *call) renames(from, to string, flags uint) {
	if flags&^unix.RENAME_NOREPLACE != 0 {
		c.unknown(from, to)
		return
	}
	if c.covered(from, to) && c.does(unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)) {
		c.log.renamed(from, to)
	}
}

func (c *call) links(from, to string) {
	if c.covered(from, to) && c.does(unix.Link(from, to)) {
		c.log.linked(from, to)
	}
}

// maps: the index beside SQLite's log is made anew by whoever opens it first, so what is in it needs no record.
func (c *call) maps() {
	c.goes = true
	args := c.args
	c.args[0] = args[4]
	if path := c.open(0); !strings.HasSuffix(path, "-shm") {
		c.unknown(path)
	}
}
