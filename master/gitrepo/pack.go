package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/momtree/mom/internal/durable"
)

// incoming is the name prefix of unfinished files. Those of a previous run are removed.
const incoming = "incoming-"

// enter stores and syncs a pack from a remote, once it is known to be within the limits.
func (r *Repo) enter(ctx context.Context, into *Snapshot, from io.Reader) (err error) {
	f, err := os.CreateTemp(r.o.Dir, incoming+"*")
	if err != nil {
		return err
	}
	idx := f.Name() + ".idx"
	defer func() {
		err = errors.Join(err, f.Close())
		//mutant:git-nothing-is-left
		for _, name := range []string{f.Name(), idx} {
			if e := os.Remove(name); !errors.Is(e, fs.ErrNotExist) { // already gone if all went well
				err = errors.Join(err, e)
			}
		}
	}()
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
	sum, err := index(ctx, f, idx)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = r.place(into, sum, f.Name(), idx)
	}
	if err != nil {
		return fmt.Errorf("enter objects: %w", err)
	}
	return nil
}

// index builds and writes the index of a pack, which unpacks all objects. It ends with ctx: a few
// bytes of chained deltas can take hours.
func index(ctx context.Context, f io.ReadSeeker, name string) (sum plumbing.Hash, err error) {
	w := new(idxfile.Writer)
	//mutant:git-making-objects-ends
	p, err := packfile.NewParser(packfile.NewScanner(contextReader{ctx, f}), w)
	if err == nil {
		sum, err = p.Parse()
	}
	if err != nil {
		return sum, err
	}
	idx, err := w.Index()
	if err != nil {
		return sum, err
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return sum, err
	}
	b := bufio.NewWriter(out)
	_, err = idxfile.NewEncoder(b).Encode(idx)
	return sum, errors.Join(err, b.Flush(), out.Sync(), out.Close())
}

// place moves a pack and its index into the directory of a snapshot.
func (r *Repo) place(into *Snapshot, sum plumbing.Hash, pack, idx string) error {
	dir := filepath.Join(into.dir, "objects", "pack")
	if err := durable.Folder(dir, 0o700); err != nil {
		return err
	}
	r.packs.Lock()
	defer r.packs.Unlock()
	base := filepath.Join(dir, "pack-"+sum.String())
	if err := os.Rename(idx, base+".idx"); err != nil {
		return err
	}
	if err := os.Rename(pack, base+".pack"); err != nil {
		return err
	}
	into.store.Reindex()
	return durable.Names(dir)
}

// contextReader reads until ctx ends.
type contextReader struct {
	ctx context.Context
	io.ReadSeeker
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadSeeker.Read(p)
}

// inspect scans a pack without storing anything and returns the number of objects. It verifies that
// they unpack within the limits: a small pack could otherwise exhaust the memory.
func inspect(ctx context.Context, f io.ReadSeeker, l Limits) (objects uint32, err error) {
	s := packfile.NewScanner(f)
	_, objects, err = s.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read a pack: %w", err)
	}
	//mutant:git-objects
	if objects > l.Objects {
		return 0, fmt.Errorf("%w: %d objects, at most %d", ErrLimit, objects, l.Objects)
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
		//mutant:git-object
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
		//mutant:git-unpacked
		if all += size; all > l.Unpacked {
			return 0, fmt.Errorf("%w: its objects unpack to more than %d bytes", ErrLimit, l.Unpacked)
		}
	}
	return objects, nil
}

func tooLarge(size int64, l Limits) error {
	return fmt.Errorf("%w: an object of %d bytes, at most %d; serve large files by httpfs or from a directory", ErrLimit, size, l.Object)
}

// head keeps the first written bytes: the start of a delta, with the size of its result.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 20 - h.Len(); room > 0 {
		_, _ = h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// target decodes the size of a delta's result.
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
			return 0, errors.New("read a pack: delta without a size")
		}
		if n |= int64(b&0x7f) << shift; b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, errors.New("read a pack: delta size overflows")
}
