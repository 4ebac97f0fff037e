package master

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
)

// nodeSet is the set of accepted ids that are syndics. Salt marks them by files
// in syndic_dir; so does this, so that a restart knows them at once.
type nodeSet struct {
	dir string
	mu  sync.RWMutex
	ids map[string]struct{}
}

func openNodeSet(dir string) (*nodeSet, error) {
	s := &nodeSet{dir: dir, ids: map[string]struct{}{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make syndic_dir: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read syndic_dir: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			s.ids[e.Name()] = struct{}{}
		}
	}
	return s, nil
}

func (s *nodeSet) has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.ids[id]
	return ok
}

func (s *nodeSet) list() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]string, 0, len(s.ids))
	for id := range s.ids {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// add marks an id that has an accepted key, which makes it a safe file name.
func (s *nodeSet) add(id string) (fresh bool, err error) {
	if s.has(id) {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.ids[id]; ok {
		return false, nil
	}
	if err := crypt.WriteFile(filepath.Join(s.dir, id), nil, 0o600); err != nil {
		return false, err
	}
	s.ids[id] = struct{}{}
	return true, nil
}

func (s *nodeSet) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.ids[id]; !ok {
		return nil
	}
	delete(s.ids, id)
	if err := os.Remove(filepath.Join(s.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unmark syndic %s: %w", id, err)
	}
	return nil
}
