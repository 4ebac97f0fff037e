package datacache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
)

// Limits of a store: the bytes of a value, the number of values, and the nesting of banks.
const (
	maxValue  = 1 << 20
	maxValues = 10_000
	maxParts  = 8
)

// ext is the file name extension of values.
const ext = ".p"

// Banks stores values in banks below one directory. It is safe for concurrent use.
type Banks struct {
	dir string
	mu  sync.Mutex
}

// OpenBanks returns a store in a directory, which is created with the first value.
func OpenBanks(dir string) *Banks { return &Banks{dir: dir} }

// name matches valid keys and elements of bank names: they cannot leave the directory or collide
// with the file of a value.
var name = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,99}$`)

func checkName(what, text string) error {
	//mutant:runners-banks-are-no-paths
	if !name.MatchString(text) || strings.HasSuffix(text, ext) {
		return fmt.Errorf("%s %q: use letters, digits and _ . : @ -, at most 100, no %s at the end", what, text, ext)
	}
	return nil
}

// bank returns the directory of a bank.
func (s *Banks) bank(bank string) (string, error) {
	parts := strings.Split(bank, "/")
	if len(parts) > maxParts {
		return "", fmt.Errorf("bank %q is within more than %d others", bank, maxParts-1)
	}
	for _, p := range parts {
		if err := checkName("bank", p); err != nil {
			return "", err
		}
	}
	return filepath.Join(append([]string{s.dir}, parts...)...), nil
}

func (s *Banks) file(bank, key string) (string, error) {
	dir, err := s.bank(bank)
	if err == nil {
		err = checkName("key", key)
	}
	return filepath.Join(dir, key+ext), err
}

// List returns the keys and nested banks of a bank, sorted. A missing bank is empty.
func (s *Banks) List(bank string) ([]string, error) {
	dir, err := s.bank(bank)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list bank %s: %w", bank, err)
	}
	out := []string{}
	for _, e := range entries {
		key, value := strings.CutSuffix(e.Name(), ext)
		if value != e.IsDir() {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Fetch returns a value, or false if it does not exist.
func (s *Banks) Fetch(bank, key string) (any, bool, error) {
	path, err := s.file(bank, key)
	if err != nil {
		return nil, false, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("fetch %s of bank %s: %w", key, bank, err)
	}
	v, err := wire.Decode(b)
	if err != nil {
		return nil, false, fmt.Errorf("fetch %s of bank %s: %s: %w", key, bank, path, err)
	}
	return v, true, nil
}

// Store writes or replaces a value.
func (s *Banks) Store(bank, key string, v any) error {
	path, err := s.file(bank, key)
	if err != nil {
		return err
	}
	b, err := wire.Encode(v)
	if err != nil {
		return fmt.Errorf("store %s in bank %s: %w", key, bank, err)
	}
	if len(b) > maxValue {
		return fmt.Errorf("store %s in bank %s: the value has %d bytes; at most %d are kept", key, bank, len(b), maxValue)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(path); err != nil && s.count() >= maxValues {
		return fmt.Errorf("store %s in bank %s: the limit of %d values is reached; remove some with cache.flush", key, bank, maxValues)
	}
	if err := durable.Folder(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("store %s in bank %s: %w", key, bank, err)
	}
	if err := durable.WriteFile(path, b, 0o600); err != nil {
		return fmt.Errorf("store %s in bank %s: %w", key, bank, err)
	}
	return nil
}

// count counts the values of all banks.
func (s *Banks) count() (n int) {
	_ = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error { // unreadable entries do not count
		if err == nil && !d.IsDir() && filepath.Ext(path) == ext {
			n++
		}
		return nil
	})
	return n
}

// Flush removes a value, or with the key "" a bank and everything in it, and reports whether it
// existed.
func (s *Banks) Flush(bank, key string) (bool, error) {
	path, err := s.bank(bank)
	if key != "" && err == nil {
		path, err = s.file(bank, key)
	}
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := os.RemoveAll(path); err != nil {
		return false, fmt.Errorf("flush bank %s: %w", bank, err)
	}
	if err := durable.Names(filepath.Dir(path)); err != nil {
		return true, fmt.Errorf("flush bank %s: %w", bank, err)
	}
	return true, nil
}
