package files

import (
	"context"
	"crypto/sha1" // git knows files by it
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/lru"
)

var (
	// ErrHash is wrapped if fetched content has the wrong hash.
	ErrHash = errors.New("the hash differs from the expected one")
	// ErrSize is wrapped if a file exceeds its announced size or the limit of the store.
	ErrSize = errors.New("it is too large")
)

// Git is the type of git's blob hashes, which cover content and size.
const Git = "git"

// Sum identifies a file by a hash and its type: a hash_type, or [Git].
type Sum struct{ Type, Hex string }

var hexDigits = regexp.MustCompile(`^[0-9a-f]{32,128}$`)

// check verifies that the hash is safe as a file name: hashes come from other machines.
func (s Sum) check() error {
	if _, err := s.hash(0); err != nil {
		return err
	}
	if !hexDigits.MatchString(s.Hex) || s.Type == "" {
		return fmt.Errorf("%q is not a hash of type %s", s.Hex, s.Type)
	}
	return nil
}

// hash returns a new hash for a file of size bytes.
func (s Sum) hash(size int64) (hash.Hash, error) {
	if s.Type != Git {
		return crypt.NewHash(s.Type)
	}
	if size < 0 {
		return nil, errors.New("a git hash requires the size of the file")
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h, nil
}

func (s Sum) name() string { return s.Type + "-" + s.Hex }

// Copies stores copies in one directory, which it owns exclusively.
type Copies struct {
	dir string
	max int64

	ctx    context.Context // for fetches, which several callers may wait for
	cancel context.CancelFunc
	group  singleflight.Group

	mu      sync.Mutex
	held    *lru.Guarded[Sum, *copied]
	total   int64 // stored bytes plus those reserved for fetches in progress
	fetched uint64
}

type copied struct {
	size    int64
	checked bool // since the start
}

// OpenCopies opens the store in a directory and finds the existing copies. It may use max bytes.
func OpenCopies(dir string, max int64) (*Copies, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the file cache: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open the file cache: %w", err)
	}
	s := &Copies{dir: dir, max: max, held: lru.NewGuarded[Sum, *copied](lru.Unbounded, nil)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	type found struct {
		Sum
		fs.FileInfo
	}
	var all []found
	for _, e := range entries {
		typ, hex, _ := strings.Cut(e.Name(), "-")
		sum := Sum{typ, hex}
		info, err := e.Info()
		if err != nil || sum.check() != nil || !info.Mode().IsRegular() { // left by an interrupted fetch
			_ = os.Remove(filepath.Join(dir, e.Name()))
			continue
		}
		all = append(all, found{sum, info})
	}
	slices.SortFunc(all, func(a, b found) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range all {
		s.held.Add(f.Sum, &copied{size: f.Size()})
		s.total += f.Size()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.room(0)
}

// Close cancels the fetches in progress.
func (s *Copies) Close() { s.cancel() }

// Fetched returns the number of fetched files and the bytes of all copies.
func (s *Copies) Fetched() (n uint64, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched, s.total
}

// Get opens the file with this hash. If there is no copy, fetch writes it, size bytes long.
// Concurrent calls share one fetch. A negative size means unknown, up to the limit of the store.
func (s *Copies) Get(ctx context.Context, sum Sum, size int64, fetch func(ctx context.Context, w io.Writer) error) (*os.File, error) {
	if err := sum.check(); err != nil {
		return nil, err
	}
	for range 2 { // the copy may be evicted between fetching and opening
		if f, err := s.open(sum); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		done := s.group.DoChan(sum.name(), func() (any, error) { return nil, s.fetch(s.ctx, sum, size, fetch) })
		select {
		case r := <-done:
			if r.Err != nil {
				return nil, r.Err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.open(sum)
}

// open opens a copy. A copy from a previous run is verified once before use.
func (s *Copies) open(sum Sum) (*os.File, error) {
	s.mu.Lock()
	c, ok := s.held.Get(sum)
	s.mu.Unlock()
	if !ok {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(filepath.Join(s.dir, sum.name()))
	if err != nil {
		s.drop(sum)
		return nil, err
	}
	s.mu.Lock()
	checked := c.checked
	s.mu.Unlock()
	if checked {
		return f, nil
	}
	h, err := sum.hash(c.size)
	if err == nil {
		_, err = io.Copy(h, f)
	}
	//mutant:files-copies-spoilt
	if err == nil && fmt.Sprintf("%x", h.Sum(nil)) != sum.Hex {
		err = fs.ErrNotExist // fetch it again
	}
	if err != nil {
		s.drop(sum)
		return nil, errors.Join(err, f.Close())
	}
	s.mu.Lock()
	c.checked = true
	s.mu.Unlock()
	return f, nil
}

func (s *Copies) drop(sum Sum) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.held.Peek(sum); ok {
		s.held.Remove(sum)
		s.total -= c.size
		_ = os.Remove(filepath.Join(s.dir, sum.name()))
	}
}

// room reserves n bytes. The caller holds s.mu.
func (s *Copies) room(n int64) error {
	if n > s.max {
		return fmt.Errorf("%w: %d bytes, and file_cache_size allows %d", ErrSize, n, s.max)
	}
	for s.total+n > s.max {
		sum, c, ok := s.held.RemoveOldest()
		if !ok {
			return fmt.Errorf("%w: %d bytes beside those that are being fetched, and file_cache_size allows %d", ErrSize, n, s.max)
		}
		s.total -= c.size
		if err := os.Remove(filepath.Join(s.dir, sum.name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("make room in the file cache: %w", err)
		}
	}
	return nil
}

func (s *Copies) fetch(ctx context.Context, sum Sum, size int64, fetch func(context.Context, io.Writer) error) (err error) {
	s.mu.Lock()
	if _, ok := s.held.Peek(sum); ok { // another call was faster
		s.mu.Unlock()
		return nil
	}
	most, want := size, size
	if size < 0 {
		most, size = s.max, 0
	}
	err = s.room(size)
	if err == nil {
		s.total += size
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	got, err := s.write(ctx, sum, most, want, fetch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= size
	if err != nil {
		return err
	}
	if err := s.room(got); err != nil {
		return errors.Join(err, os.Remove(filepath.Join(s.dir, sum.name())))
	}
	s.held.Add(sum, &copied{size: got, checked: true})
	s.total += got
	s.fetched++
	return nil
}

// write fetches a file and renames it once its hash is verified.
func (s *Copies) write(ctx context.Context, sum Sum, most, want int64, fetch func(context.Context, io.Writer) error) (size int64, err error) {
	h, err := sum.hash(want)
	if err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(s.dir, "fetch-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	w := &bounded{w: io.MultiWriter(f, h), left: most}
	if err := fetch(ctx, w); err != nil {
		return 0, err
	}
	//mutant:files-copies-verified
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != sum.Hex {
		return 0, fmt.Errorf("%w: %s instead of %s", ErrHash, got, sum.Hex)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return most - w.left, os.Rename(f.Name(), filepath.Join(s.dir, sum.name()))
}

// bounded is a writer that fails beyond a number of bytes.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, fmt.Errorf("%w: more bytes than announced", ErrSize)
	}
	b.left -= int64(len(p))
	return b.w.Write(p)
}

// Clear removes all copies.
func (s *Copies) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []error
	for _, sum := range s.held.Keys() {
		c, _ := s.held.Peek(sum)
		s.held.Remove(sum)
		s.total -= c.size
		faults = append(faults, os.Remove(filepath.Join(s.dir, sum.name())))
	}
	return errors.Join(faults...)
}
