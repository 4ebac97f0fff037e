package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// enter puts a pack that a remote sends into a copy, once it is known to be within the
// limits.
func (r *Repo) enter(ctx context.Context, to *filesystem.Storage, from io.Reader) (err error) {
	dir := r.o.Dir
	f, err := os.CreateTemp(dir, "incoming-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := io.Copy(f, from); err != nil {
		return fmt.Errorf("receive objects: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := inspect(ctx, f, r.o.Limits)
	if err != nil || n == 0 {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.packs.Lock()
	defer r.packs.Unlock()
	w, err := to.PackfileWriter()
	if err != nil {
		return fmt.Errorf("enter objects: %w", err)
	}
	_, err = io.Copy(w, readerOf(ctx, f))
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("enter objects: %w", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*", "objects", "pack", "tmp_pack_*"))
	for _, name := range left { // of packs that could not be entered
		_ = os.Remove(name)
	}
	return nil
}

// readerOf reads until ctx ends.
func readerOf(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// inspect goes through a pack without keeping anything, and tells how many objects it has.
// What it lets through unpacks within the limits: a remote of a few bytes could else fill
// the memory.
func inspect(ctx context.Context, f io.ReadSeeker, l Limits) (objects uint32, err error) {
	s := packfile.NewScanner(f)
	_, objects, err = s.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read a pack: %w", err)
	}
	if objects > l.Objects {
		return 0, fmt.Errorf("%w: %d objects, and %d are", ErrLimit, objects, l.Objects)
	}
	all := int64(0)
	for range objects {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		h, err := s.NextObjectHeader()
		if err != nil {
			return 0, fmt.Errorf("read a pack: %w", err)
		}
		size := h.Length
		if size > l.Object || size < 0 {
			return 0, tooLarge(size, l)
		}
		var head head
		if _, _, err := s.NextObject(&head); err != nil {
			return 0, fmt.Errorf("read a pack: %w", err)
		}
		if h.Type == plumbing.OFSDeltaObject || h.Type == plumbing.REFDeltaObject {
			if size, err = head.target(); err != nil {
				return 0, err
			}
			if size > l.Object || size < 0 {
				return 0, tooLarge(size, l)
			}
			size += h.Length
		}
		if all += size; all > l.Unpacked {
			return 0, fmt.Errorf("%w: its objects unpack to more than %d bytes", ErrLimit, l.Unpacked)
		}
	}
	return objects, nil
}

func tooLarge(size int64, l Limits) error {
	return fmt.Errorf("%w: an object of %d bytes, and one may have %d; serve large files by httpfs or from a folder", ErrLimit, size, l.Object)
}

// head keeps the first bytes of what is written: those in which a delta says how large its
// result is.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 20 - h.Len(); room > 0 {
		_, _ = h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// target reads the size of the result of a delta.
func (h *head) target() (int64, error) {
	if _, err := size(&h.Buffer); err != nil {
		return 0, err
	}
	return size(&h.Buffer)
}

func size(r io.ByteReader) (n int64, err error) {
	for shift := 0; shift < 63; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, errors.New("read a pack: a delta does not say how large it is")
		}
		if n |= int64(b&0x7f) << shift; b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errors.New("read a pack: a delta says that it is larger than anything")
}
