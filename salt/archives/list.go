package archives

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// maxMembers is the most members of an archive that are listed.
const maxMembers = 1 << 20

// ErrFormat means that a file is not an archive of its format.
var ErrFormat = errors.New("not an archive of this format")

// Contents are the paths in an archive; those of folders end with a slash.
type Contents struct{ Dirs, Files, Links []string }

// Guess returns the format of an archive by the suffix of its name: tar, zip or rar; "" if
// unknown.
func Guess(name string) string {
	name = strings.ToLower(name)
	for _, end := range []string{"tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tbz", "tar.xz", "txz", "tar.lzma", "tlz"} {
		if strings.HasSuffix(name, "."+end) {
			return "tar"
		}
	}
	for _, end := range []string{"zip", "rar"} {
		if strings.HasSuffix(name, "."+end) {
			return end
		}
	}
	return ""
}

// openTar opens a tar archive, plain or compressed with gzip, bzip2, xz or lzma.
func openTar(path string) (*tar.Reader, io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r, err := decompressed(f)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%w: %w", ErrFormat, err), f.Close())
	}
	return tar.NewReader(r), f, nil
}

func decompressed(f io.Reader) (io.Reader, error) {
	r := bufio.NewReader(f)
	head, _ := r.Peek(6)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(r), nil
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return xz.NewReader(r)
	case bytes.HasPrefix(head, []byte{0x5d, 0, 0}):
		return lzma.NewReader(r)
	}
	return r, nil
}

// next returns the next member with its name as in Python, or [io.EOF].
func next(r *tar.Reader, first bool) (*tar.Header, error) {
	h, err := r.Next()
	if err != nil {
		if first || !errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: %w", ErrFormat, err)
		}
		return nil, err
	}
	if name := strings.TrimRight(h.Name, "/"); name != "" {
		h.Name = name
	}
	return h, nil
}

// ListTar lists the members of a tar archive.
func ListTar(path string) (Contents, error) {
	var c Contents
	r, file, err := openTar(path)
	if err != nil {
		return c, err
	}
	defer file.Close()
	return listTar(r)
}

// ListStream lists the members of a tar archive read from a decompressor.
func ListStream(r io.Reader) (Contents, error) { return listTar(tar.NewReader(r)) }

func listTar(r *tar.Reader) (Contents, error) {
	var c Contents
	for n := 0; ; n++ {
		h, err := next(r, n == 0)
		if errors.Is(err, io.EOF) && !errors.Is(err, ErrFormat) {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		switch h.Typeflag {
		case tar.TypeSymlink:
			c.Links = append(c.Links, h.Name)
		case tar.TypeDir:
			c.Dirs = append(c.Dirs, h.Name+"/")
		default:
			c.Files = append(c.Files, h.Name)
		}
		if n == maxMembers {
			return c, fmt.Errorf("the archive has more than %d members", maxMembers)
		}
	}
}

// unixMode returns the mode of a member; 0 if the zip archive has none.
func unixMode(f *zip.File) uint32 { return f.ExternalAttrs >> 16 }

const (
	typeBits = 0o170000
	typeLink = 0o120000
	typeDir  = 0o040000
)

// ListZip lists the members of a zip archive. It also lists folders that occur only in the
// paths of files.
func ListZip(path string) (Contents, error) {
	var c Contents
	z, err := openZip(path)
	if err != nil {
		return c, err
	}
	defer z.Close()
	if len(z.File) > maxMembers {
		return c, fmt.Errorf("the archive has more than %d members", maxMembers)
	}
	dirs, inPaths := map[string]bool{}, map[string]bool{}
	for _, f := range z.File {
		switch unixMode(f) & typeBits {
		case typeLink:
			c.Links = append(c.Links, f.Name)
		case typeDir:
			dirs[f.Name] = true
		default:
			c.Files = append(c.Files, f.Name)
			if i := strings.LastIndexByte(f.Name, '/'); i >= 0 {
				inPaths[f.Name[:i+1]] = true
			}
		}
	}
	c.Files = slices.DeleteFunc(c.Files, func(f string) bool { return inPaths[f] })
	for d := range inPaths {
		dirs[d] = true
	}
	for d := range dirs {
		c.Dirs = append(c.Dirs, d)
	}
	slices.Sort(c.Dirs)
	return c, nil
}

func openZip(path string) (*zip.ReadCloser, error) {
	z, err := zip.OpenReader(path)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil // checked for each member
	}
	return z, err
}

// Encrypted reports whether a member of a zip archive is encrypted.
func Encrypted(path string) (bool, error) {
	z, err := openZip(path)
	if err != nil {
		return false, err
	}
	defer z.Close()
	const encrypted = 1
	return slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Flags&encrypted != 0 }), nil
}

// Strip removes n leading folders from each path and drops paths with no more than n parts.
func (c *Contents) Strip(n int) {
	for _, list := range []*[]string{&c.Dirs, &c.Files, &c.Links} {
		var kept []string
		for _, path := range *list {
			if parts := strings.SplitN(path, "/", n+1); len(parts) > n && parts[n] != "" {
				kept = append(kept, parts[n])
			}
		}
		*list = kept
	}
}

// Sort sorts the paths.
func (c *Contents) Sort() {
	for _, list := range [][]string{c.Dirs, c.Files, c.Links} {
		slices.Sort(list)
	}
}

// TopDirs returns the folders at the top of sorted contents. It includes a folder that all
// paths share without being a member.
func (c *Contents) TopDirs() []string {
	var out []string
	for _, d := range c.Dirs {
		if strings.Count(d, "/") == 1 {
			out = append(out, d)
		}
	}
	all := slices.Concat(c.Dirs, c.Files, c.Links)
	if len(all) == 0 {
		return out
	}
	first, last := slices.Min(all), slices.Max(all)
	shared := 0
	for shared < min(len(first), len(last)) && first[shared] == last[shared] {
		shared++
	}
	if top, _, ok := strings.Cut(first[:shared], "/"); ok && !slices.Contains(out, top+"/") {
		out = append(out, top+"/")
	}
	return out
}

// Top returns the paths without a folder.
func Top(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return strings.Contains(p, "/") })
}
