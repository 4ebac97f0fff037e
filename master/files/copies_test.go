package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func sumOf(text string) Sum { return Sum{"sha256", fmt.Sprintf("%x", sha256.Sum256([]byte(text)))} }

func open(t *testing.T, dir string, most int64) *Copies {
	t.Helper()
	s, err := OpenCopies(dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func writes(text string) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func get(t *testing.T, s *Copies, text string, fetch func(context.Context, io.Writer) error) {
	t.Helper()
	f, err := s.Get(t.Context(), sumOf(text), int64(len(text)), fetch)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20)); err != nil || string(b) != text {
		t.Errorf("%q, %v", b, err)
	}
}

// TestGet_FetchedOnce: concurrent calls share one fetch, and the copy survives a restart.
func TestGet_FetchedOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1000)
	var fetches atomic.Int64
	fetch := func(ctx context.Context, w io.Writer) error {
		fetches.Add(1)
		return writes("hello")(ctx, w)
	}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() { get(t, s, "hello", fetch) })
	}
	wg.Wait()
	if n, bytes := s.Fetched(); fetches.Load() != 1 || n != 1 || bytes != 5 {
		t.Errorf("fetched %d times, %d, %d bytes", fetches.Load(), n, bytes)
	}
	get(t, open(t, dir, 1000), "hello", func(context.Context, io.Writer) error { return errors.New("fetched again") })
}

// TestGet_Verified: the store rejects content with a wrong hash, copies damaged on disk, content
// beyond its announced size, and hashes that are paths.
func TestGet_Verified(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1000)
	for name, c := range map[string]struct {
		sum  Sum
		size int64
		want error
	}{
		"another file": {sumOf("other"), 5, ErrHash},
		"larger":       {sumOf("hello"), 4, ErrSize},
		"too large":    {sumOf("hello"), 2000, ErrSize},
		"a path":       {Sum{"sha256", "../../x"}, 5, nil},
		"no type":      {Sum{"", sumOf("hello").Hex}, 5, nil},
		"odd type":     {Sum{"../x", sumOf("hello").Hex}, 5, nil},
	} {
		f, err := s.Get(t.Context(), c.sum, c.size, writes("hello"))
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		t.Errorf("kept: %v, %v", there, err)
	}
	get(t, s, "hello", writes("hello"))
	if err := os.WriteFile(filepath.Join(dir, sumOf("hello").name()), []byte("spoil"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, 1000)
	get(t, again, "hello", writes("hello"))
	if n, _ := again.Fetched(); n != 1 {
		t.Error("what was spoilt on the disk is served")
	}
}

// TestGet_Bounded: the least recently used copies are evicted.
func TestGet_Bounded(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 100)
	texts := []string{}
	for i := range 20 {
		text := strings.Repeat(string(rune('a'+i)), 30)
		texts = append(texts, text)
		get(t, s, text, writes(text))
		get(t, s, texts[0], writes(texts[0]))
	}
	n, bytes := s.Fetched()
	there, err := os.ReadDir(dir)
	if n != 20 || bytes > 100 || len(there) != 3 || err != nil {
		t.Errorf("%d fetched, %d bytes, %d files, %v", n, bytes, len(there), err)
	}
	small := open(t, dir, 50)
	if _, bytes := small.Fetched(); bytes > 50 {
		t.Errorf("%d bytes after a start with a smaller bound", bytes)
	}
	if err := small.Clear(); err != nil {
		t.Error(err)
	}
	if there, _ := os.ReadDir(dir); len(there) != 0 {
		t.Errorf("not cleared: %v", there)
	}
}
