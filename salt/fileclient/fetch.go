package fileclient

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/crypt"
)

// downloads is how often a file is fetched until it has its hash: it may change
// while it is read.
const downloads = 3

// Want says how a file is to be had.
type Want struct {
	// Saltenv is the environment unless the address names one. Default base.
	Saltenv string
	// Makedirs makes the folder of the destination if it is not there.
	Makedirs bool
	// Gzip compresses pieces on their way: 1 to 9. Default 0: not.
	Gzip int
	// SourceHash ("TYPE=HEX" or "HEX") spares a file behind http that the cache
	// has with that hash. Default "".
	SourceHash string
	// SkipVerify takes any certificate of an https server. Default false.
	SkipVerify bool
	// ETag fetches a file behind http again only when the server says that it
	// has another one. Default false.
	ETag bool
}

func (w Want) saltenv() string {
	if w.Saltenv == "" {
		return "base"
	}
	return w.Saltenv
}

// ErrNoFolder says that the folder of a destination is not there.
var ErrNoFolder = errors.New("the folder of the destination is not there")

// Cache gets a file into the cache and tells where it is. A file of this host
// stays where it is. One that is not there is [fs.ErrNotExist].
func (c *Client) Cache(ctx context.Context, source string, w Want) (string, error) {
	if !IsURL(source) {
		return c.other(ctx, source, "", w)
	}
	place, err := c.Place(source, w.saltenv())
	if err != nil {
		return "", err
	}
	return c.fetch(ctx, source, place, w, true)
}

// Get gets a file to dest; when that is a folder, to the same name in it.
func (c *Client) Get(ctx context.Context, source, dest string, w Want) (string, error) {
	if dest == "" {
		return c.Cache(ctx, source, w)
	}
	if !IsURL(source) {
		return c.other(ctx, source, dest, w)
	}
	path, _ := Split(source)
	if st, err := os.Stat(dest); err == nil && st.IsDir() || strings.HasSuffix(dest, "/") {
		dest = filepath.Join(dest, filepath.Base(path))
	}
	return c.fetch(ctx, source, dest, w, false)
}

// Put writes data to dest in one step, as Get writes what it fetches.
func (c *Client) Put(dest string, data []byte, makedirs bool) error {
	return c.write(dest, makedirs, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// Read gives what a file holds: at most [MaxText].
func (c *Client) Read(ctx context.Context, source string, w Want) ([]byte, error) {
	path, err := c.Cache(ctx, source, w)
	if err != nil {
		return nil, err
	}
	return readText(path)
}

func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	if err == nil && len(data) > MaxText {
		err = fmt.Errorf("%s is larger than the %d bytes that are read into memory", path, MaxText)
	}
	return data, err
}

// Open gives a file to a template: what the renderer's Loader is.
func (c *Client) Open(ctx context.Context, saltenv, path string) ([]byte, error) {
	return c.Read(ctx, URL(path), Want{Saltenv: saltenv})
}

// KeepLocal copies a file of this host into the cache (localfiles).
func (c *Client) KeepLocal(path string) (string, error) {
	place, err := inside(filepath.Join(c.o.Cachedir, "localfiles"), strings.TrimLeft(path, "/"))
	if err != nil {
		return "", err
	}
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	return place, c.write(place, true, func(f *os.File) error {
		_, err := io.Copy(f, io.LimitReader(from, c.o.MaxFile))
		return err
	})
}

// fetch gets a salt:// file to a place, unless what lies there has its hash.
func (c *Client) fetch(ctx context.Context, source, place string, w Want, cache bool) (string, error) {
	path, env, err := locate(source, w.saltenv())
	if err != nil {
		return "", err
	}
	var last error
	for range downloads {
		want, err := c.o.Source.Hash(ctx, env, path)
		if err != nil {
			return "", err
		}
		if have, err := c.hashLocal(place, want.Type); err == nil && have.Sum == want.Sum {
			return place, nil
		}
		var got string
		err = c.write(place, cache || w.Makedirs, func(f *os.File) error {
			got, err = c.pieces(ctx, f, env, path, want.Type, w.Gzip)
			//mutant:modules-files-have-their-hash
			if err == nil && got != want.Sum {
				err = &spoilt{source, want, got}
			}
			return err
		})
		var bad *spoilt
		switch {
		case err == nil:
			return place, nil
		case !errors.As(err, &bad):
			return "", fmt.Errorf("fetch %s of %s: %w", source, env, err)
		}
		last = err
		c.o.Log.Warn("file hash mismatch, fetching again", "source", source, "saltenv", env)
	}
	return "", last
}

// spoilt is a file whose hash is not the one that was told.
type spoilt struct {
	source string
	want   Hash
	got    string
}

func (e *spoilt) Error() string {
	return fmt.Sprintf("%s came with the %s %s, its source told %s: it changes while it is read, or the source's hashes are out of date",
		e.source, e.want.Type, e.got, e.want.Sum)
}

// pieces writes a file piece by piece and gives its hash.
func (c *Client) pieces(ctx context.Context, f *os.File, env, path, kind string, level int) (string, error) {
	h, err := crypt.NewHash(kind)
	if err != nil {
		return "", err
	}
	for at := int64(0); ; {
		piece, err := c.o.Source.Read(ctx, env, path, at, level)
		if err != nil {
			return "", err
		}
		if len(piece) == 0 {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if at += int64(len(piece)); at > c.o.MaxFile {
			return "", fmt.Errorf("it is larger than %d bytes", c.o.MaxFile)
		}
		h.Write(piece)
		if _, err := f.Write(piece); err != nil {
			return "", err
		}
	}
}

// write fills a file beside its place and then puts it there, in one step. The
// mode of a file that it replaces stays.
func (c *Client) write(place string, makedirs bool, fill func(*os.File) error) error {
	dir := filepath.Dir(place)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		if !makedirs {
			return fmt.Errorf("%s: %w", dir, ErrNoFolder)
		}
		if err := c.folder(dir); err != nil {
			return err
		}
	}
	if st, err := os.Lstat(place); err == nil && st.IsDir() && c.owns(place) {
		if err := os.RemoveAll(place); err != nil { // a folder of an earlier tree of files
			return err
		}
	}
	// A link stays: what it leads to is replaced.
	if to, err := filepath.EvalSymlinks(place); err == nil {
		place = to
	}
	perm := fs.FileMode(0o644)
	uid, gid := -1, -1
	if st, err := os.Stat(place); err == nil {
		perm = st.Mode().Perm()
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			uid, gid = int(sys.Uid), int(sys.Gid)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(place), ".mom-part-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone when it was renamed
	err = fill(f)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil && uid >= 0 && os.Geteuid() == 0 {
		err = f.Chown(uid, gid)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), place)
}

// owns tells whether a place is one of the cache.
func (c *Client) owns(place string) bool {
	return c.o.Cachedir != "" && strings.HasPrefix(place, strings.TrimSuffix(c.o.Cachedir, "/")+"/")
}

// folder makes a folder. In the cache nobody else may look into it, and a file
// that lies where a folder has to be is of an earlier tree of files and goes.
func (c *Client) folder(dir string) error {
	if !c.owns(dir) {
		return os.MkdirAll(dir, 0o755)
	}
	for up := dir; c.owns(up); up = filepath.Dir(up) {
		if st, err := os.Lstat(up); err == nil && !st.IsDir() {
			if err := os.Remove(up); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(dir, 0o700)
}

// unixMode is the mode as os.stat of Python counts it, with the kind of file.
func unixMode(st fs.FileInfo) uint32 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint32(sys.Mode) //nolint:unconvert // its width differs by system
	}
	return uint32(st.Mode().Perm())
}
