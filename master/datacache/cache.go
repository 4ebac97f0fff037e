package datacache

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Cache holds grains and pillar of each minion as they were when it last asked for
// its pillar.
//
// What is decoded is kept up to a bound (data_cache). Beyond it some, no matter which,
// are let go and read again when a target asks: targets ask for all in turn, so that
// letting go the oldest would keep none that is asked for again.
type Cache struct {
	dir  string
	most int
	// grains and pillar are the banks of Salt 3008.
	grains, pillar Salt3008Bank

	seed  maphash.Seed
	files [256]sync.Mutex // of who reads or writes the file of a minion, by its id

	mu   sync.RWMutex
	m    map[string]kept
	size int
}

type kept struct {
	d    *Datum // nil: nothing is known
	size int
}

// decoded is about how much memory a byte of a file takes once it is decoded, and
// overhead what an entry takes beside.
const (
	decoded  = 5
	overhead = 200
)

// Datum is what one minion told.
type Datum struct{ Grains, Pillar any }

// New makes the cache below cachedir.
func New(cachedir string, b bounds.Bounds) *Cache {
	return &Cache{grains: OpenSalt3008(cachedir, "grains"), pillar: OpenSalt3008(cachedir, "pillar"), dir: filepath.Join(cachedir, "minions"), most: b.OrDefault().DataCache, seed: maphash.MakeSeed(), m: map[string]kept{}}
}

// file is held by who reads or writes the file of a minion: it may be large, and those who
// look at others do not wait for it.
func (c *Cache) file(id string) *sync.Mutex {
	return &c.files[maphash.String(c.seed, id)%uint64(len(c.files))]
}

// Get gives what is known of a minion, nil if nothing is.
func (c *Cache) Get(id string) *Datum {
	if k, ok := c.known(id); ok {
		return k.d
	}
	f := c.file(id)
	f.Lock()
	defer f.Unlock()
	if k, ok := c.known(id); ok { // another one has read it meanwhile
		return k.d
	}
	//mutant:datacache-reads-outside-the-lock
	k := c.load(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(id, k)
	return k.d
}

func (c *Cache) known(id string) (kept, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, ok := c.m[id]
	return k, ok
}

// keep enters what was read, and makes room for it. The caller holds mu.
func (c *Cache) keep(id string, k kept) {
	for other := range c.m {
		//mutant:datacache-is-bounded
		if c.size+k.size <= c.most {
			break
		}
		c.drop(other)
	}
	if k.size <= c.most {
		c.m[id] = k
		c.size += k.size
	}
}

// drop lets one go. The caller holds mu.
func (c *Cache) drop(id string) {
	c.size -= c.m[id].size
	delete(c.m, id)
}

func (c *Cache) load(id string) kept {
	var d Datum
	size, known := overhead, false
	own := filepath.Join(c.dir, id, "data.p")
	if b, err := os.ReadFile(own); err == nil {
		if m, err := wire.DecodeMap(b); err == nil { // else torn or foreign: the minion's next pillar request replaces it
			d.Grains, _ = m.Get("grains")
			d.Pillar, _ = m.Get("pillar")
			size, known = size+decoded*len(b), true
		}
	}
	for _, x := range []struct {
		bank Salt3008Bank
		to   *any
	}{{c.grains, &d.Grains}, {c.pillar, &d.Pillar}} {
		if b, ok := x.bank.Newer(id, own); ok {
			if m, err := wire.DecodeMap(b); err == nil {
				*x.to = m
				size, known = size+decoded*len(b), true
			}
		}
	}
	if !known {
		return kept{size: overhead}
	}
	return kept{&d, size}
}

// Put stores what a minion told. id must be that of an accepted key.
func (c *Cache) Put(id string, grains, pillar any) error {
	b, err := wire.EncodeBus(wire.NewMap("grains", grains, "pillar", pillar))
	if err != nil {
		return fmt.Errorf("encode data of minion %s: %w", id, err)
	}
	f := c.file(id)
	f.Lock()
	defer f.Unlock()
	if err := c.putBanks(id, grains, pillar); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	dir := filepath.Join(c.dir, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	//mutant:cve2015-8034-minion-data
	if err := crypt.WriteFileLazy(filepath.Join(dir, "data.p"), b, 0o600); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(id)
	return nil
}

// putBanks keeps the banks of Salt 3008 up to date, where it has made them.
func (c *Cache) putBanks(id string, grains, pillar any) error {
	for _, x := range []struct {
		bank Salt3008Bank
		v    any
	}{{c.grains, grains}, {c.pillar, pillar}} {
		if !x.bank.There() {
			continue
		}
		if x.v == nil {
			if err := x.bank.Remove(id); err != nil {
				return err
			}
			continue
		}
		b, err := wire.EncodeBus(x.v)
		if err == nil {
			err = x.bank.Write(id, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Clear forgets the grains of a minion, its pillar or both, and tells whether there were
// any. id must be that of an accepted key.
func (c *Cache) Clear(id string, grains, pillar bool) (had bool, err error) {
	d := c.Get(id)
	if d == nil {
		return false, nil
	}
	left := *d
	if grains {
		had = had || left.Grains != nil
		left.Grains = nil
	}
	if pillar {
		had = had || left.Pillar != nil
		left.Pillar = nil
	}
	if !had {
		return false, nil
	}
	return true, c.Put(id, left.Grains, left.Pillar)
}

// Remove forgets a minion whose key is gone.
func (c *Cache) Remove(id string) error {
	f := c.file(id)
	f.Lock()
	defer f.Unlock()
	c.mu.Lock()
	c.drop(id)
	c.mu.Unlock()
	//mutant:cve2016-9639-data-of-3008
	err := errors.Join(c.grains.Remove(id), c.pillar.Remove(id))
	if own := os.RemoveAll(filepath.Join(c.dir, id)); own != nil && !errors.Is(own, fs.ErrNotExist) {
		err = errors.Join(err, own)
	}
	if err != nil {
		return fmt.Errorf("remove data of minion %s: %w", id, err)
	}
	return nil
}
