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

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/posix"
)

// downloads is how often a file is fetched until its hash matches: it may change while it
// is read.
const downloads = 3

// Want configures how a file is fetched.
type Want struct {
	// Saltenv is the environment unless the address names one. Default base.
	Saltenv string
	// Makedirs creates the folder of the destination if it does not exist.
	Makedirs bool
	// Gzip is the compression level of pieces in transit, 1 to 9. Default 0: none.
	Gzip int
	// SourceHash ("TYPE=HEX" or "HEX") avoids fetching a file behind http that the cache
	// has with that hash. Default "".
	SourceHash string
	// SkipVerify accepts any certificate of an https server. Default false.
	SkipVerify bool
	// ETag fetches a file behind http again only if the server reports another ETag.
	// Default false.
	ETag bool
}

func (w Want) saltenv() string {
	if w.Saltenv == "" {
		return "base"
	}
	return w.Saltenv
}

// ErrNoFolder means that the folder of a destination does not exist.
var ErrNoFolder = errors.New("the destination folder does not exist")

// Cache fetches a file into the cache and returns its path. A file of this host stays where
// it is. The error is [fs.ErrNotExist] if the file does not exist.
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

// Get fetches a file to dest. If dest is a folder, the file keeps its name in it.
func (c *Client) Get(ctx context.Context, source, dest string, w Want) (string, error) {
	if dest == "" {
		return c.Cache(ctx, source, w)
	}
	if !IsURL(source) {
		return c.other(ctx, source, dest, w)
	}
	path, _ := Split(source)
	if st, err := os.Stat(dest); err == nil && st.IsDir() || endsInSeparator(dest) {
		dest = filepath.Join(dest, filepath.Base(path))
	}
	return c.fetch(ctx, source, dest, w, false)
}

// Put writes data to dest in one step, as Get writes a fetched file.
func (c *Client) Put(dest string, data []byte, makedirs bool) error {
	return c.write(dest, makedirs, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// Read returns the content of a file, at most [MaxText] bytes.
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
		err = fmt.Errorf("%s is larger than %d bytes", path, MaxText)
	}
	return data, err
}

// Open reads a file for a template. It implements the renderer's Loader.
func (c *Client) Open(ctx context.Context, saltenv, path string) ([]byte, error) {
	return c.Read(ctx, URL(path), Want{Saltenv: saltenv})
}

// KeepLocal copies a file of this host into the cache (localfiles).
func (c *Client) KeepLocal(path string) (string, error) {
	place, err := inside(filepath.Join(c.o.Cachedir, "localfiles"), strings.TrimLeft(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/"))
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

// fetch fetches a salt:// file to a path, unless a file with the same hash is there.
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
				err = &hashMismatch{source, want, got}
			}
			return err
		})
		var bad *hashMismatch
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

// hashMismatch is a file whose hash differs from the one the source reported.
type hashMismatch struct {
	source string
	want   Hash
	got    string
}

func (e *hashMismatch) Error() string {
	return fmt.Sprintf("%s has the %s %s, the source reported %s: the file changes while it is read, or the source's hashes are outdated",
		e.source, e.want.Type, e.got, e.want.Sum)
}

// pieces writes a file piece by piece and returns its hash.
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

// write fills a temporary file beside its destination and renames it. It keeps the mode of
// a file that it replaces.
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
		if err := os.RemoveAll(place); err != nil { // a folder of an earlier file tree
			return err
		}
	}
	// A link stays: its target is replaced.
	if to, err := filepath.EvalSymlinks(place); err == nil {
		place = to
	}
	perm := fs.FileMode(0o644)
	uid, gid := -1, -1
	if st, err := os.Stat(place); err == nil {
		perm = st.Mode().Perm()
		if sys, ok := posix.StatOf(st); ok {
			uid, gid = int(sys.Uid), int(sys.Gid)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(place), ".mom-part-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
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

// owns reports whether a path lies in the cache.
func (c *Client) owns(place string) bool {
	return c.o.Cachedir != "" && hasFolder(place, c.o.Cachedir)
}

// folder creates a folder. In the cache, only its owner can read it; a file of an earlier
// file tree in its place is removed.
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

// unixMode returns the mode as os.stat in Python gives it, with the file type.
func unixMode(st fs.FileInfo) uint32 {
	if sys, ok := posix.StatOf(st); ok {
		return uint32(sys.Mode) //nolint:unconvert // its width differs by system
	}
	return uint32(st.Mode().Perm())
}
