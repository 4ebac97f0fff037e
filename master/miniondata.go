package master

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

// minionData is the minion data cache: grains and pillar of each minion as they
// were when it last asked for its pillar, in cachedir/minions/<id>/data.p (Salt wire
// reference §13.2) and in memory once a target
// asks for them.
type minionData struct {
	dir string
	mu  sync.RWMutex
	m   map[string]*datum
}

type datum struct{ grains, pillar any }

func newMinionData(cachedir string) *minionData {
	return &minionData{dir: filepath.Join(cachedir, "minions"), m: map[string]*datum{}}
}

// get gives what is known of a minion, nil if nothing is. A nil cache knows
// nothing of anybody.
func (c *minionData) get(id string) *datum {
	if c == nil {
		return nil
	}
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

func (c *minionData) load(id string) *datum {
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
	return &datum{grains: g, pillar: p}
}

// put stores what a minion told. id must be that of an accepted key.
func (c *minionData) put(id string, grains, pillar any) error {
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

// remove forgets a minion whose key is gone.
func (c *minionData) remove(id string) error {
	c.mu.Lock()
	delete(c.m, id)
	c.mu.Unlock()
	if err := os.RemoveAll(filepath.Join(c.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove data of minion %s: %w", id, err)
	}
	return nil
}
