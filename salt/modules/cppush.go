package modules

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// defaultPushPiece is how many bytes of a file one request holds if file_buffer_size is not
// set.
const defaultPushPiece = 262144

func init() {
	Register("cp",
		Function{
			Name: "push", Run: cpPush,
			Args: []Arg{{Name: "path", Required: true}, {Name: "keep_symlinks", Default: false}, {Name: "upload_path"}, {Name: "remove_source", Default: false}},
			Doc: `
Send a file of the minion (path, absolute) to the master, which stores it with
the files of this minion if it has file_recv: True. The target of a link is sent
under its own name, or under that of the link with keep_symlinks=True;
upload_path is another name. remove_source=True removes the file afterwards.
Returns False if the master rejects it.

CLI Example:

    salt '*' cp.push /etc/fstab
    salt '*' cp.push /etc/fstab upload_path='/new/path/fstab'
`,
		},
		Function{
			Name: "push_dir", Run: cpPushDir,
			Args: []Arg{{Name: "path", Required: true}, {Name: "glob"}, {Name: "upload_path"}},
			Doc: `
Send the files of a folder (path, absolute) and its subfolders to the master, as
cp.push does: all, or those whose name matches glob. upload_path is another name
for the folder.

CLI Example:

    salt '*' cp.push_dir /etc/modprobe.d/ glob='*.conf'
`,
		},
	)
}

func cpPush(ctx context.Context, c *Call) (any, error) {
	path := c.Str("path")
	if !c.IsTrue("keep_symlinks") {
		path = realPath(path)
	}
	sent, err := push(ctx, c, path, c.Str("upload_path"))
	if err != nil || sent != true || !c.IsTrue("remove_source") {
		return sent, err
	}
	if err := os.Remove(path); err != nil {
		logger(c.Env).Error("pushed file not removed", "path", path, "err", err)
		return false, nil
	}
	return true, nil
}

// realPath returns a path with links resolved, or the path itself if that fails.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// push sends one file. It returns False if path is not a file or the master rejects it.
func push(ctx context.Context, c *Call, path, as string) (any, error) {
	if !filepath.IsAbs(path) || strings.Contains(path, "../") || strings.Contains(as, "../") {
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return nil, CommandErrorf("%s", pythonOSError(err))
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return false, nil //nolint:nilerr // as in Salt, only files are sent
	}
	if as == "" {
		as = path
	}
	parts := wire.AnyList(strings.Split(strings.Trim(filepath.Clean(as), "/"), "/"))
	size := defaultPushPiece
	if n, ok := Integer(c.Env.Option("file_buffer_size")); ok && n > 0 {
		size = int(n)
	}
	piece := make([]byte, size)
	for at := int64(0); ; {
		n, err := io.ReadFull(f, piece)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		if n == 0 && at > 0 {
			return true, nil
		}
		taken, err := c.Env.Ask(ctx, value.NewMap("cmd", "_file_recv", "id", c.Env.Option("id"), "path", parts,
			"size", st.Size(), "loc", at, "data", slices.Clone(piece[:n])))
		if err != nil {
			return nil, CommandErrorf("%v", err)
		}
		if taken != true {
			logger(c.Env).Error("pushed file rejected by the master", "path", path,
				"hint", "set file_recv: True on the master, and file_recv_max_size if the file is larger")
			return false, nil
		}
		if n == 0 {
			return true, nil // an empty file is one request
		}
		at += int64(n)
	}
}

func cpPushDir(ctx context.Context, c *Call) (any, error) {
	path := c.Str("path")
	if !filepath.IsAbs(path) || strings.Contains(path, "../") {
		return false, nil
	}
	path = realPath(path)
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return push(ctx, c, path, c.Str("upload_path"))
	}
	var files []string
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if glob := c.Str("glob"); glob == "" || target.Glob(glob, filepath.Base(name)) {
			files = append(files, name)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		return false, nil //nolint:nilerr // as in Salt, a missing folder is empty
	}
	for _, name := range files {
		as := ""
		if up := c.Str("upload_path"); up != "" {
			as = filepath.Join("/", up, strings.TrimPrefix(name, path))
		}
		if sent, err := push(ctx, c, realPath(name), as); err != nil || sent != true {
			return sent, err
		}
	}
	return true, nil
}
