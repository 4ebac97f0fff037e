package gitrepo

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"
)

// packOf encodes a pack of objects.
func packOf(t testing.TB, objects ...[]byte) []byte {
	t.Helper()
	b := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(objects)))
	for _, o := range objects {
		b = append(b, o...)
	}
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

// stored is an object of a pack; extra precedes the content of a delta.
func stored(t testing.TB, typ plumbing.ObjectType, extra []byte, content string) []byte {
	t.Helper()
	if len(content) > 15 {
		t.Fatal("a size of one byte only")
	}
	b := bytes.NewBuffer([]byte{byte(typ)<<4 | byte(len(content))})
	b.Write(extra)
	z := zlib.NewWriter(b)
	_, err := z.Write([]byte(content))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// left returns the files of a copy.
func left(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Attack: a pack within the limits whose objects cannot be unpacked. Remains of repeated fetches
// would fill the disk.
func TestEnter_Fails(t *testing.T) {
	dir := t.TempDir()
	r := open(t, Options{URL: "https://host/x", Dir: dir})
	s := r.newSnapshot(0, nil)
	pack := packOf(t, stored(t, plumbing.REFDeltaObject, bytes.Repeat([]byte{7}, 20), "\x01\x01\x01x"))
	for range 3 {
		if err := r.enter(t.Context(), s, bytes.NewReader(pack)); err == nil {
			t.Error("it is entered")
		}
	}
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

// fuse is a context that ends at the n-th check.
type fuse struct {
	context.Context
	left atomic.Int64
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Unpacking ends with the fetch: it can take any time.
func TestEnter_Ends(t *testing.T) {
	const objects = 600
	var list [][]byte
	for i := range objects {
		list = append(list, stored(t, plumbing.BlobObject, nil, fmt.Sprint(i)))
	}
	pack := packOf(t, list...)
	dir := t.TempDir()
	r := open(t, Options{URL: "https://host/x", Dir: dir})
	s := r.newSnapshot(0, nil)
	ctx := &fuse{Context: t.Context()}
	ctx.left.Store(objects + objects/2) // the inspection is over by then
	if err := r.enter(ctx, s, bytes.NewReader(pack)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
	if err := r.enter(t.Context(), s, bytes.NewReader(pack)); err != nil {
		t.Fatal(err)
	}
	if h := plumbing.ComputeHash(plumbing.BlobObject, []byte("599")); !s.has(h) {
		t.Error("an object is missing")
	}
	sum := fmt.Sprintf("%x", pack[len(pack)-20:])
	if diff := cmp.Diff([]string{"pack-" + sum + ".idx", "pack-" + sum + ".pack"}, left(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// Remains of a killed process are removed at the next start.
func TestOpen_Sweeps(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"incoming-1", "incoming-1.idx"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, Options{URL: "https://host/x", Dir: dir})
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}
