package gossip

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
)

// pins keeps the key that each node was first heard with: one line each, the
// fingerprint and the id.
type pins struct {
	path string

	mu   sync.Mutex
	keys map[string]string
}

func openPins(path string) (*pins, error) {
	p := &pins{path: path, keys: map[string]string{}}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("gossip: read pinned keys: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if key, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			p.keys[id] = key
		}
	}
	return p, nil
}

// first gives the pinned key of an id; key is pinned if there is none.
func (p *pins) first(id, key string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if have, ok := p.keys[id]; ok {
		return have, nil
	}
	if len(p.keys) >= maxRecords {
		return "", fmt.Errorf("gossip: %d keys are pinned in %s; delete those of nodes that are no more", len(p.keys), p.path)
	}
	return key, p.save(id, key)
}

// set pins a key that the tree vouches for.
func (p *pins) set(id, key string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys[id] == key {
		return nil
	}
	return p.save(id, key)
}

func (p *pins) save(id, key string) error {
	if strings.ContainsAny(id, "\r\n") {
		return fmt.Errorf("%w: the id has more than one line", errForm)
	}
	p.keys[id] = key
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(p.keys)) {
		b.WriteString(p.keys[id] + " " + id + "\n")
	}
	if err := crypt.WriteFile(p.path, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("gossip: pin a key: %w", err)
	}
	return nil
}
