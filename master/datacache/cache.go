package datacache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Cache holds grains and pillar of each minion as they were when it last asked for
// its pillar.
type Cache struct {
	dir string
	mu  sync.RWMutex
	m   map[string]*Datum
}

// Datum is what one minion told.
type Datum struct{ Grains, Pillar any }

// New makes the cache below cachedir.
func New(cachedir string) *Cache {
	return &Cache{dir: filepath.Join(cachedir, "minions"), m: map[string]*Datum{}}
}

// Get gives what is known of a minion, nil if nothing is.
func (c *Cache) Get(id string) *Datum {
	c.mu.RLock()
	d, ok := c.m[id]
	c.mu.RUnlock()
	if ok {
		return d
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.m[id]; ok {
		return d
	}
	d = c.load(id)
	c.m[id] = d
	return d
}

func (c *Cache) load(id string) *Datum {
	b, err := os.ReadFile(filepath.Join(c.dir, id, "data.p"))
	if err != nil {
		return nil
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return nil // a torn or foreign file: the minion's next pillar request replaces it
	}
	g, _ := m.Get("grains")
	p, _ := m.Get("pillar")
	return &Datum{Grains: g, Pillar: p}
}

// Put stores what a minion told. id must be that of an accepted key.
func (c *Cache) Put(id string, grains, pillar any) error {
	b, err := wire.EncodeBus(wire.NewMap("grains", grains, "pillar", pillar))
	if err != nil {
		return fmt.Errorf("encode data of minion %s: %w", id, err)
	}
	dir := filepath.Join(c.dir, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	if err := crypt.WriteFileLazy(filepath.Join(dir, "data.p"), b, 0o600); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, id)
	return nil
}

// Remove forgets a minion whose key is gone.
func (c *Cache) Remove(id string) error {
	c.mu.Lock()
	delete(c.m, id)
	c.mu.Unlock()
	if err := os.RemoveAll(filepath.Join(c.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove data of minion %s: %w", id, err)
	}
	return nil
}
