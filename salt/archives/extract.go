package archives

import (
	"archive/tar"
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ExtractTar extracts a tar archive into an existing folder and returns the names of its
// members in archive order. Members get the mode and time in the archive and, for root, the
// owner.
func ExtractTar(ctx context.Context, archive, dir string) ([]string, error) {
	r, file, err := openTar(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	x := extraction{root: root, owners: os.Geteuid() == 0, ids: map[string]int{}}
	var names []string
	var dirs []*tar.Header
	for {
		h, err := next(r, names == nil)
		if errors.Is(err, io.EOF) && !errors.Is(err, ErrFormat) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return names, err
		}
		if err := x.member(h, r); err != nil {
			return names, fmt.Errorf("%s: %w", h.Name, err)
		}
		names = append(names, h.Name)
		if h.Typeflag == tar.TypeDir {
			dirs = append(dirs, h)
		}
	}
	for i := len(dirs) - 1; i >= 0; i-- { // extracting members changed their times
		if err := x.attributes(inside(dirs[i].Name), dirs[i]); err != nil {
			return names, fmt.Errorf("%s: %w", dirs[i].Name, err)
		}
	}
	return names, nil
}

// extraction is the extraction of one tar archive.
type extraction struct {
	root   *os.Root
	owners bool
	ids    map[string]int // "u:NAME" and "g:NAME"; -1: unknown on this host
}

// inside returns the path of a member below the folder.
func inside(name string) string {
	return path.Clean(strings.TrimLeft(name, "/"))
}

func (x *extraction) member(h *tar.Header, data io.Reader) error {
	name := inside(h.Name)
	if dir := path.Dir(name); dir != "." {
		if err := x.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if name == "." {
			return nil
		}
		err := x.root.Mkdir(name, 0o700)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return err // its attributes are set last
	case tar.TypeReg:
		if err := write(x.root, name, data); err != nil {
			return err
		}
	case tar.TypeSymlink:
		if err := errors.Join(removed(x.root, name), x.root.Symlink(h.Linkname, name)); err != nil {
			return err
		}
		return x.own(name, h)
	case tar.TypeLink:
		return errors.Join(removed(x.root, name), x.root.Link(inside(h.Linkname), name))
	case tar.TypeFifo, tar.TypeChar, tar.TypeBlock:
		if err := x.node(name, h); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a member of the kind %q is not extracted", h.Typeflag)
	}
	return x.attributes(name, h)
}

// removed removes what is in the place of a member that is not a folder.
func removed(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write writes a file. It replaces a link of that name and does not follow it.
func write(root *os.Root, name string, data io.Reader) error {
	if st, err := root.Lstat(name); err == nil && !st.Mode().IsRegular() {
		if err := removed(root, name); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}

// node creates a named pipe or a device.
func (x *extraction) node(name string, h *tar.Header) error {
	kind := map[byte]uint32{tar.TypeFifo: syscall.S_IFIFO, tar.TypeChar: syscall.S_IFCHR, tar.TypeBlock: syscall.S_IFBLK}[h.Typeflag]
	if err := removed(x.root, name); err != nil {
		return err
	}
	dir, err := x.root.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	return mknod(dir, path.Base(name), kind|0o600, h.Devmajor, h.Devminor)
}

// attributes sets the owner, mode and time of a member.
func (x *extraction) attributes(name string, h *tar.Header) error {
	err := x.own(name, h)
	if err == nil {
		err = x.root.Chmod(name, h.FileInfo().Mode().Perm()|h.FileInfo().Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky))
	}
	if err == nil && h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeDir {
		err = errors.Join(err, x.root.Chtimes(name, time.Time{}, h.ModTime))
	}
	return err
}

// own sets the owner of a member by name, or by number if the name is unknown on this host.
func (x *extraction) own(name string, h *tar.Header) error {
	if !x.owners {
		return nil
	}
	return x.root.Lchown(name, x.id("u", h.Uname, h.Uid), x.id("g", h.Gname, h.Gid))
}

func (x *extraction) id(kind, name string, number int) int {
	if name == "" {
		return number
	}
	key := kind + ":" + name
	id, known := x.ids[key]
	if !known {
		id = -1
		text := ""
		if kind == "u" {
			if u, err := user.Lookup(name); err == nil {
				text = u.Uid
			}
		} else if g, err := user.LookupGroup(name); err == nil {
			text = g.Gid
		}
		if n, err := strconv.Atoi(text); err == nil {
			id = n
		}
		x.ids[key] = id
	}
	if id < 0 {
		return number
	}
	return id
}

// Unzip configures [ExtractZip].
type Unzip struct {
	// Excludes are members to leave out.
	Excludes map[string]bool
	// Modes gives members their mode in the archive, if it has them.
	Modes bool
}

// ExtractZip extracts a zip archive into a folder and returns the names of its members in
// archive order.
func ExtractZip(ctx context.Context, archive, dir string, u Unzip) ([]string, error) {
	z, err := openZip(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var names []string
	for _, f := range z.File {
		if u.Excludes[f.Name] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return names, err
		}
		if err := u.member(root, f); err != nil {
			return names, fmt.Errorf("%s: %w", f.Name, err)
		}
		names = append(names, f.Name)
	}
	return names, nil
}

func (u Unzip) member(root *os.Root, f *zip.File) error {
	const encrypted = 1
	name := inside(f.Name)
	switch {
	case f.Flags&encrypted != 0:
		return errors.New("it is encrypted")
	case name == "." || name == ".." || strings.HasPrefix(name, "../"):
		return errors.New("its name points outside the folder")
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	mode, isDir := unixMode(f), strings.HasSuffix(f.Name, "/")
	data, err := f.Open()
	if err != nil {
		return err
	}
	defer data.Close()
	switch {
	case mode&typeBits == typeLink:
		to, err := io.ReadAll(io.LimitReader(data, 1<<16))
		if err != nil {
			return err
		}
		return root.Symlink(string(to), name)
	case isDir:
		err = root.MkdirAll(name, 0o777)
	default:
		err = write(root, name, data)
	}
	if err != nil || !u.Modes || mode == 0 {
		return err
	}
	perm := fs.FileMode(mode & 0o777)
	for bit, is := range map[uint32]fs.FileMode{syscall.S_ISUID: fs.ModeSetuid, syscall.S_ISGID: fs.ModeSetgid, syscall.S_ISVTX: fs.ModeSticky} {
		if mode&bit != 0 {
			perm |= is
		}
	}
	return root.Chmod(name, perm)
}
