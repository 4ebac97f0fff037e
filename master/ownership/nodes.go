package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/durable"
)

// Nodes is the set of accepted ids that are syndics. As in Salt, a file in syndic_dir marks each,
// so the set survives a restart. It is safe for concurrent use.
type Nodes struct {
	dir string
	mu  sync.RWMutex
	ids map[string]struct{}
}

// OpenNodes reads the set from dir, which it creates if necessary.
func OpenNodes(dir string) (*Nodes, error) {
	s := &Nodes{dir: dir, ids: map[string]struct{}{}}
	if err := durable.Folder(dir, 0o700); err != nil {
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

// Has reports whether an id is a node.
func (s *Nodes) Has(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.ids[id]
	return ok
}

// List returns the ids, sorted.
func (s *Nodes) List() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]string, 0, len(s.ids))
	for id := range s.ids {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// Add marks an id. Its key must be accepted, which makes it a safe file name.
func (s *Nodes) Add(id string) (fresh bool, err error) {
	if s.Has(id) {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.ids[id]; ok {
		return false, nil
	}
	if err := durable.WriteFile(filepath.Join(s.dir, id), nil, 0o600); err != nil {
		return false, err
	}
	s.ids[id] = struct{}{}
	return true, nil
}

// Remove removes the mark of an id, if any.
func (s *Nodes) Remove(id string) error {
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

// Bar removes nodes that may not be nodes any more: those for which why returns a reason.
func (s *Nodes) Bar(why func(id string) string, log *slog.Logger) {
	for _, id := range s.List() {
		reason := why(id)
		if reason == "" {
			continue
		}
		log.Warn("node removed from the tree", "node", id, "reason", reason)
		if err := s.Remove(id); err != nil {
			log.Error("node not removed", "node", id, "err", err)
		}
	}
}
