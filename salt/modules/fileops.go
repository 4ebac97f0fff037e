package modules

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/value"
)

func init() {
	path := Arg{Name: "path", Required: true}
	src, dst := Arg{Name: "src", Required: true}, Arg{Name: "dst", Required: true}
	owner := []Arg{{Name: "user"}, {Name: "group"}, {Name: "mode"}}
	const owners = `user, group and mode (in octal digits) are those of a new one.`
	Register("file",
		Function{Name: "touch", Args: []Arg{{Name: "name", Required: true}, {Name: "atime"}, {Name: "mtime"}}, Run: fileTouch, Doc: `
Create the file name, or set the times of an existing one: atime and mtime in
seconds since 1970, now by default.

CLI Example:

    salt '*' file.touch /var/log/emptyfile
`},
		Function{Name: "mkdir", Args: append([]Arg{{Name: "dir_path", Required: true}}, owner...), Run: fileMkdir, Doc: `
Create the folder dir_path and its missing parents. ` + owners + `

CLI Example:

    salt '*' file.mkdir /opt/jetty/context
`},
		Function{Name: "makedirs", Args: append([]Arg{path}, owner...), Run: fileMakedirs, Doc: `
Create the parent folders of the file path: the part after the last slash is
not created. ` + owners + `

CLI Example:

    salt '*' file.makedirs /opt/code/
`},
		Function{Name: "copy", Args: []Arg{src, dst, {Name: "recurse", Default: false}, {Name: "remove_existing", Default: false}}, Run: fileCopy, Doc: `
Copy the file src to dst, or with recurse=True a folder with its content.
remove_existing=True removes an existing dst first.

CLI Example:

    salt '*' file.copy /path/to/src /path/to/dst
`},
		Function{Name: "move", Args: []Arg{src, dst, {Name: "disallow_copy_and_unlink", Default: false}}, Run: fileMove, Doc: `
Move the file or folder src to dst, another name or a folder. To another file
system, it is copied and removed; with disallow_copy_and_unlink=True that is an
error.

CLI Example:

    salt '*' file.move /path/to/src /path/to/dst
`},
		Function{Name: "rename", Args: []Arg{src, dst}, Run: fileRename, Doc: `
Rename the file or folder src to dst.

CLI Example:

    salt '*' file.rename /path/to/src /path/to/dst
`},
		Function{Name: "remove", Args: []Arg{path}, VarKw: true, Run: fileRemove, Doc: `
Remove path, a folder with its content. Returns False if it does not exist.

CLI Example:

    salt '*' file.remove /tmp/foo
`},
		Function{Name: "rmdir", Args: []Arg{path, {Name: "recurse", Default: false}}, Run: fileRmdir, Doc: `
Remove the folder path if it is empty; with recurse=True the empty folders in it
first.

CLI Example:

    salt '*' file.rmdir /tmp/foo/
`},
		Function{Name: "symlink", Args: []Arg{src, {Name: "path", Required: true}, {Name: "force", Default: false}, {Name: "atomic", Default: false}}, Run: fileSymlink, Doc: `
Create the link path to src; force=True replaces an existing file, atomic=True
does so in one step.

CLI Example:

    salt '*' file.symlink /path/to/file /path/to/link
`},
		Function{Name: "link", Args: []Arg{src, path}, Run: fileLink, Doc: `
Create the hard link path to the file src.

CLI Example:

    salt '*' file.link /path/to/file /path/to/link
`},
		Function{Name: "truncate", Args: []Arg{path, {Name: "length", Required: true}}, Run: fileTruncate, Doc: `
Truncate the file path to length bytes.

CLI Example:

    salt '*' file.truncate /path/to/file 512
`},
	)
}

func fileTouch(_ context.Context, c *Call) (any, error) {
	name := c.path("name")
	if strings.HasSuffix(name, "/") && !folder(name) {
		if err := os.MkdirAll(name, 0o755); err != nil {
			return nil, osFault(err)
		}
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return nil, osFault(err)
		}
	}
	now := time.Now()
	at := map[string]time.Time{"atime": now, "mtime": now}
	for arg := range at {
		if c.Value(arg) == nil {
			continue
		}
		secs, err := c.Float(arg)
		if err != nil {
			return nil, InvocationErrorf("atime and mtime must be integers")
		}
		at[arg] = time.UnixMicro(int64(secs * 1e6))
	}
	if err := os.Chtimes(name, at["atime"], at["mtime"]); err != nil {
		return nil, osFault(err)
	}
	return true, nil
}

// newFolders creates a folder and its missing parents, with their owner.
func (c *Call) newFolders(dir string) error {
	var made []string
	for up := dir; !folder(up) && !isRoot(up) && up != "."; up = filepath.Dir(up) {
		made = append([]string{up}, made...)
	}
	perm := fs.FileMode(0o755)
	if given(c.Value("mode")) {
		var err error
		if perm, err = modeArg(c.Value("mode")); err != nil {
			return err
		}
	}
	for _, d := range made {
		if err := os.Mkdir(d, perm); err != nil {
			return osFault(err)
		}
		if given(c.Value("mode")) {
			if err := os.Chmod(d, perm); err != nil {
				return osFault(err)
			}
		}
		if !given(c.Value("user")) && !given(c.Value("group")) {
			continue
		}
		kwargs := value.NewMap("user", PyStr(orText(c.Value("user"))), "group", PyStr(orText(c.Value("group"))))
		if fault, err := c.sub(context.Background(), "file.chown", []any{d}, kwargs); err != nil || fault != nil {
			return orFailed(err, "%s: %s", d, PyStr(fault))
		}
	}
	return nil
}

func orText(v any) any {
	if v == nil {
		return ""
	}
	return v
}

func fileMkdir(_ context.Context, c *Call) (any, error) {
	return true, c.newFolders(filepath.Clean(c.path("dir_path")))
}

func fileMakedirs(_ context.Context, c *Call) (any, error) {
	dir := filepath.Dir(c.path("path"))
	if strings.HasSuffix(c.Str("path"), "/") {
		dir = filepath.Clean(c.path("path"))
	}
	if folder(dir) {
		return "Directory '" + dir + "' already exists", nil
	}
	return nil, c.newFolders(dir)
}

// copyFile copies one file with its mode.
func copyFile(src, dst string) (err error) {
	from, err := os.Open(src)
	if err != nil {
		return err
	}
	defer from.Close()
	st, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(dst, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, st.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if _, err := io.Copy(to, from); err != nil {
		return err
	}
	return to.Chmod(st.Mode())
}

// copyTree copies a folder with its content; links are copied as links.
func copyTree(ctx context.Context, src, dst string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			_ = os.Remove(to)
			return os.Symlink(target, to)
		}
		return copyFile(path, to)
	})
}

func fileCopy(ctx context.Context, c *Call) (any, error) {
	src, dst := c.path("src"), c.path("dst")
	st, err := os.Stat(src)
	switch {
	case !filepath.IsAbs(src):
		return nil, InvocationErrorf("File path must be absolute.")
	case err != nil:
		return nil, CommandErrorf("No such file or directory '%s'", src)
	case st.IsDir() && !c.IsTrue("recurse"):
		return nil, InvocationErrorf("Cannot copy overwriting a directory without recurse flag set to true!")
	}
	if c.IsTrue("remove_existing") {
		if err := os.RemoveAll(dst); err != nil {
			return nil, osFault(err)
		}
	}
	if st.IsDir() {
		err = copyTree(ctx, src, dst)
	} else {
		if folder(dst) {
			dst = filepath.Join(dst, filepath.Base(src))
		}
		err = copyFile(src, dst)
	}
	if err != nil {
		return nil, CommandErrorf("Could not copy '%s' to '%s': %s", src, dst, pythonOSError(err))
	}
	return true, nil
}

func fileMove(ctx context.Context, c *Call) (any, error) {
	src, dst := c.path("src"), c.path("dst")
	if !filepath.IsAbs(src) {
		return nil, InvocationErrorf("Source path must be absolute.")
	}
	if !filepath.IsAbs(dst) {
		return nil, InvocationErrorf("Destination path must be absolute.")
	}
	st, err := os.Lstat(src)
	if err != nil {
		return nil, osFault(err)
	}
	if folder(dst) {
		dst = filepath.Join(dst, filepath.Base(src))
	}
	err = os.Rename(src, dst)
	if errors.Is(err, posix.CrossDevice) && !c.IsTrue("disallow_copy_and_unlink") {
		if st.IsDir() {
			err = copyTree(ctx, src, dst)
		} else {
			err = copyFile(src, dst)
		}
		if err == nil {
			err = os.RemoveAll(src)
		}
	}
	if err != nil {
		return nil, CommandErrorf("Unable to move '%s' to '%s': %s", src, dst, pythonOSError(err))
	}
	return value.NewMap("result", true, "comment", "'"+src+"' moved to '"+dst+"'"), nil
}

func fileRename(_ context.Context, c *Call) (any, error) {
	src, dst := c.path("src"), c.path("dst")
	if !filepath.IsAbs(src) {
		return nil, InvocationErrorf("File path must be absolute.")
	}
	if err := os.Rename(src, dst); err != nil {
		return nil, CommandErrorf("Could not rename '%s' to '%s'", src, dst)
	}
	return true, nil
}

func fileRemove(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	if !filepath.IsAbs(path) {
		return nil, InvocationErrorf("File path must be absolute: %s", path)
	}
	if isRoot(path) {
		return nil, InvocationErrorf("refusing to remove the root folder")
	}
	if _, err := os.Lstat(path); err != nil {
		return false, nil //nolint:nilerr // nothing to remove
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, CommandErrorf("Could not remove '%s': %s", path, pythonOSError(err))
	}
	return true, nil
}

func fileRmdir(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	if !filepath.IsAbs(path) {
		return nil, InvocationErrorf("File path must be absolute.")
	}
	if !folder(path) {
		return nil, InvocationErrorf("A valid directory was not specified.")
	}
	if c.IsTrue("recurse") {
		var dirs []string
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && p != path {
				dirs = append([]string{p}, dirs...)
			}
			return err
		})
		if err != nil {
			return nil, osFault(err)
		}
		for _, d := range dirs {
			_ = os.Remove(d) // a folder that is not empty stays, and path with it
		}
	}
	if err := syscall.Rmdir(path); err != nil {
		return pythonOSError(&fs.PathError{Op: "rmdir", Path: path, Err: err}), nil
	}
	return true, nil
}

func fileSymlink(_ context.Context, c *Call) (any, error) {
	src, path := c.path("src"), c.path("path")
	if !filepath.IsAbs(path) {
		return nil, InvocationErrorf("Link path must be absolute: %s", path)
	}
	if to, err := os.Readlink(path); err == nil && to == src {
		return true, nil
	}
	st, err := os.Lstat(path)
	there := err == nil
	switch {
	case there && !c.IsTrue("force") && !c.IsTrue("atomic"):
		return nil, CommandErrorf("Found existing symlink: %s", path)
	case there && st.IsDir():
		return nil, CommandErrorf("Existing path is not a symlink: %s", path)
	}
	tmp := path + ".mom-link"
	_ = os.Remove(tmp) // of an earlier attempt
	if err := os.Symlink(src, tmp); err != nil {
		return nil, CommandErrorf("Could not create '%s': %s", path, pythonOSError(err))
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return nil, CommandErrorf("Could not create '%s': %s", path, pythonOSError(err))
	}
	return true, nil
}

func fileLink(_ context.Context, c *Call) (any, error) {
	src, path := c.path("src"), c.path("path")
	if !filepath.IsAbs(src) {
		return nil, InvocationErrorf("File path must be absolute.")
	}
	if err := os.Link(src, path); err != nil {
		return nil, CommandErrorf("Could not create '%s': %s", path, pythonOSError(err))
	}
	return true, nil
}

func fileTruncate(_ context.Context, c *Call) (any, error) {
	n, err := c.Int("length")
	if err != nil {
		return nil, err
	}
	return nil, osFault(os.Truncate(c.path("path"), n))
}
