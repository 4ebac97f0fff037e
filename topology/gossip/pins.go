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

	"github.com/momtree/mom/internal/durable"
)

// pins stores the key first seen for each node, one line each: fingerprint and id.
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

// first returns the pinned key of an id, and pins key if the id has no pin.
func (p *pins) first(id, key string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if have, ok := p.keys[id]; ok {
		return have, nil
	}
	if len(p.keys) >= maxRecords {
		return "", fmt.Errorf("gossip: %d keys pinned in %s; delete those of removed nodes", len(p.keys), p.path)
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
		return fmt.Errorf("%w: line break in id", errForm)
	}
	p.keys[id] = key
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(p.keys)) {
		b.WriteString(p.keys[id] + " " + id + "\n")
	}
	if err := durable.WriteFile(p.path, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("gossip: pin key: %w", err)
	}
	return nil
}
