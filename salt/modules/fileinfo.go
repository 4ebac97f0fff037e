package modules

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	path := Arg{Name: "path", Required: true}
	form := Arg{Name: "form", Default: "sha256"}
	is := func(look func(string) bool) func(context.Context, *Call) (any, error) {
		return func(_ context.Context, c *Call) (any, error) { return look(c.path("path")), nil }
	}
	one := func(name, what string, look func(string) bool) {
		Register("file", Function{Name: name, Args: []Arg{path}, Run: is(look), Doc: `
Return whether path is ` + what + `.

CLI Example:

    salt '*' file.` + name + ` /etc/passwd
`})
	}
	kind := func(k fs.FileMode) func(string) bool {
		return func(p string) bool { st, err := os.Lstat(p); return err == nil && st.Mode()&fs.ModeType == k }
	}
	one("file_exists", "a file, or a link to one", func(p string) bool { st, err := os.Stat(p); return err == nil && st.Mode().IsRegular() })
	one("directory_exists", "a folder, or a link to one", folder)
	one("is_link", "a link", kind(fs.ModeSymlink))
	one("is_fifo", "a named pipe", kind(fs.ModeNamedPipe))
	one("is_blkdev", "a block device", kind(fs.ModeDevice))
	one("is_chrdev", "a character device", kind(fs.ModeDevice|fs.ModeCharDevice))
	one("is_hardlink", "a file that has several names", func(p string) bool {
		_, sys, err := statOf(p, false)
		return err == nil && sys.Nlink > 1 && sys.Mode&syscall.S_IFMT == syscall.S_IFREG
	})
	one("path_exists_glob", "a glob that something matches", func(p string) bool { found, err := filepath.Glob(p); return err == nil && len(found) > 0 })
	Register("file",
		Function{Name: "get_hash", Args: []Arg{path, form, {Name: "chunk_size", Default: int64(65536)}}, Run: fileHash, Doc: `
Return the hash of the file path; form is its type. chunk_size is ignored.

CLI Example:

    salt '*' file.get_hash /etc/shadow
`},
		Function{Name: "get_sum", Args: []Arg{path, form}, Run: fileSum, Doc: `
Return the hash of the file path, "File not found" if it does not exist; form is
its type.

CLI Example:

    salt '*' file.get_sum /etc/passwd sha512
`},
		Function{Name: "check_hash", Args: []Arg{path, {Name: "file_hash", Required: true}}, Run: fileCheckHash, Doc: `
Return whether the file path has the hash file_hash: TYPE=HEX, TYPE:HEX or HEX.

CLI Example:

    salt '*' file.check_hash /etc/fstab md5=900150983cd24fb0d6963f7d28e17f72
`},
		Function{Name: "stats", Args: []Arg{path, {Name: "hash_type"}, {Name: "follow_symlinks", Default: true}}, Run: fileStats, Doc: `
Return the attributes of path; with hash_type, also the hash of a file.
follow_symlinks=False describes a link itself.

CLI Example:

    salt '*' file.stats /etc/passwd
`},
		Function{Name: "lstat", Args: []Arg{path}, Run: fileLstat, Doc: `
Return the times, owner, mode, links and size of path, of a link itself.

CLI Example:

    salt '*' file.lstat /path/to/file
`},
		Function{Name: "access", Args: []Arg{path, {Name: "mode", Required: true}}, Run: fileAccess, Doc: `
Return whether the minion can access path: mode is f (it exists), r, w or x.

CLI Example:

    salt '*' file.access /path/to/file r
`},
		Function{Name: "statvfs", Args: []Arg{path}, Run: fileStatvfs, Doc: `
Return the usage of the file system that holds path.

CLI Example:

    salt '*' file.statvfs /path/to/file
`},
		Function{Name: "readdir", Args: []Arg{path}, Run: fileReaddir, Doc: `
List the names in the folder path.

CLI Example:

    salt '*' file.readdir /path/to/dir/
`},
		Function{Name: "readlink", Args: []Arg{path, {Name: "canonicalize", Default: false}}, Run: fileReadlink, Doc: `
Return the target of the link path; canonicalize=True resolves all links.

CLI Example:

    salt '*' file.readlink /path/to/link
`},
		Function{Name: "diskusage", Args: []Arg{path}, Run: fileDiskusage, Doc: `
Return the total size of the files below path in bytes.

CLI Example:

    salt '*' file.diskusage /path/to/check
`},
	)
}

// sumOf returns the hash of a file.
func sumOf(path, kind string) (string, error) {
	h, err := crypt.NewHash(kind)
	if err != nil {
		return "", InvocationErrorf("%v", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", osFault(err)
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", osFault(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

func fileHash(_ context.Context, c *Call) (any, error) {
	return sumOf(c.path("path"), c.Str("form"))
}

func fileSum(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return "File not found", nil //nolint:nilerr // Salt's result
	}
	return sumOf(path, c.Str("form"))
}

func fileCheckHash(_ context.Context, c *Call) (any, error) {
	want := c.Str("file_hash")
	kind, sum, ok := strings.Cut(want, "=")
	if !ok {
		kind, sum, ok = strings.Cut(want, ":")
	}
	if !ok {
		kind, sum = map[int]string{32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}[len(want)], want
		if kind == "" {
			return nil, InvocationErrorf("file_hash %s has no type, and its length matches no type", PyRepr(want))
		}
	}
	have, err := sumOf(c.path("path"), kind)
	return strings.EqualFold(have, sum), err
}

// kindOf returns the type of a file in the form of file.stats.
func kindOf[M modeBits](mode M) string {
	switch uint32(mode) & syscall.S_IFMT {
	case syscall.S_IFDIR:
		return "dir"
	case syscall.S_IFLNK:
		return "link"
	case syscall.S_IFCHR:
		return "char"
	case syscall.S_IFBLK:
		return "block"
	case syscall.S_IFIFO:
		return "pipe"
	case syscall.S_IFSOCK:
		return "socket"
	}
	return "file"
}

func fileStats(_ context.Context, c *Call) (any, error) {
	path, follow := c.path("path"), c.IsTrue("follow_symlinks")
	st, sys, err := statOf(path, follow)
	if err != nil {
		return nil, err
	}
	atime, mtime, ctime, err := times(path, follow)
	if err != nil {
		return nil, osFault(err)
	}
	m := value.NewMap("inode", int64(sys.Ino), "uid", int64(sys.Uid), "gid", int64(sys.Gid), "group", groupName(sys.Gid), "user", userName(sys.Uid),
		"atime", atime, "mtime", mtime, "ctime", ctime, "size", st.Size(), "mode", octalMode(sys.Mode))
	if kind := c.Str("hash_type"); kind != "" {
		sum := ""
		if st.Mode().IsRegular() {
			if sum, err = sumOf(path, kind); err != nil {
				return nil, err
			}
		}
		m.Set("sum", sum)
	}
	target := realPath(path)
	if !follow {
		target = path
	}
	m.Set("type", kindOf(sys.Mode))
	m.Set("target", target)
	return m, nil
}

func fileLstat(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	if !filepath.IsAbs(path) {
		return nil, InvocationErrorf("Path to file must be absolute.")
	}
	st, err := os.Lstat(path)
	if err != nil {
		return value.NewMap(), nil //nolint:nilerr // as in Salt
	}
	sys, _ := posix.StatOf(st)
	atime, mtime, ctime, err := times(path, false)
	return value.NewMap("st_atime", atime, "st_mtime", mtime, "st_ctime", ctime, "st_gid", int64(sys.Gid), "st_mode", int64(sys.Mode),
		"st_nlink", int64(sys.Nlink), "st_size", st.Size(), "st_uid", int64(sys.Uid)), osFault(err)
}

func fileAccess(_ context.Context, c *Call) (any, error) {
	bits, ok := map[string]uint32{"f": posix.Exists, "r": posix.Readable, "w": posix.Writable, "x": posix.Runnable}[c.Str("mode")]
	switch {
	case !filepath.IsAbs(c.path("path")):
		return nil, InvocationErrorf("Path to link must be absolute.")
	case !ok:
		return nil, InvocationErrorf("Invalid mode specified.")
	}
	return posix.Access(c.path("path"), bits), nil
}

func fileReaddir(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	switch st, err := os.Stat(path); {
	case !filepath.IsAbs(path):
		return nil, InvocationErrorf("Dir path must be absolute.")
	case err != nil || !st.IsDir():
		return nil, InvocationErrorf("A valid directory was not specified.")
	}
	entries, err := os.ReadDir(path)
	names := []string{".", ".."}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return wire.AnyList(names), osFault(err)
}

func fileReadlink(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	if !filepath.IsAbs(path) {
		return nil, InvocationErrorf("Path to link must be absolute: %s", path)
	}
	to, err := os.Readlink(path)
	if errors.Is(err, syscall.EINVAL) {
		return nil, InvocationErrorf("A valid link was not specified: %s", path)
	}
	if err == nil && c.IsTrue("canonicalize") {
		to, err = filepath.EvalSymlinks(path)
	}
	return to, osFault(err)
}

func fileDiskusage(ctx context.Context, c *Call) (any, error) {
	path, total := c.path("path"), int64(0)
	var seen []uint64
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // skip what cannot be read
		}
		st, err := d.Info()
		if err != nil || !st.Mode().IsRegular() {
			return ctx.Err()
		}
		if sys, ok := posix.StatOf(st); ok && sys.Nlink > 1 {
			if slices.Contains(seen, sys.Ino) {
				return nil
			}
			seen = append(seen, sys.Ino)
		}
		total += st.Size()
		return ctx.Err()
	})
	return total, err
}
