package datacache

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Cache holds grains and pillar of each minion as of its last pillar request.
//
// Decoded data are cached up to a limit (data_cache). Beyond it random entries are evicted and read
// again when a target needs them. Targets scan all minions in turn, so evicting the oldest would
// leave no useful entries.
type Cache struct {
	dir  string
	most int
	// grains and pillar are the banks of Salt 3008.
	grains, pillar Salt3008Bank

	shared *shared // nil: the data are here only
	now    func() time.Time

	seed  maphash.Seed
	files [256]sync.Mutex // locks of the minions' files, by id

	mu   sync.RWMutex
	m    map[string]kept
	size int
}

type kept struct {
	d    *Datum // nil: no data
	size int
	till time.Time // zero: it only changes here
}

// decoded is the approximate memory for a byte of a file, and overhead that of an entry.
const (
	decoded  = 5
	overhead = 200
)

// Datum holds the data of one minion.
type Datum struct{ Grains, Pillar any }

// New returns a cache below cachedir.
func New(cachedir string, b bounds.Bounds) *Cache {
	return &Cache{grains: OpenSalt3008(cachedir, "grains"), pillar: OpenSalt3008(cachedir, "pillar"), dir: filepath.Join(cachedir, "minions"), most: b.OrDefault().DataCache, now: time.Now, seed: maphash.MakeSeed(), m: map[string]kept{}}
}

// file returns the lock for the file of a minion. Reading may take long, and must not delay access
// to other minions.
func (c *Cache) file(id string) *sync.Mutex {
	return &c.files[maphash.String(c.seed, id)%uint64(len(c.files))]
}

// Get returns the data of a minion, or nil.
func (c *Cache) Get(id string) *Datum {
	if k, ok := c.known(id); ok {
		return k.d
	}
	f := c.file(id)
	f.Lock()
	defer f.Unlock()
	if k, ok := c.known(id); ok { // read by another goroutine meanwhile
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
	return k, ok && (k.till.IsZero() || c.now().Before(k.till))
}

// keep adds an entry and evicts others. The caller holds mu.
func (c *Cache) keep(id string, k kept) {
	if c.shared != nil {
		k.till = c.now().Add(sharedFor)
	}
	c.drop(id)
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

// drop evicts an entry. The caller holds mu.
func (c *Cache) drop(id string) {
	c.size -= c.m[id].size
	delete(c.m, id)
}

func (c *Cache) load(id string) kept {
	var d Datum
	size, known := overhead, false
	if b := c.shared.fetch(id); b != nil {
		if m, err := wire.DecodeMap(b); err == nil {
			d.Grains, _ = m.Get("grains")
			d.Pillar, _ = m.Get("pillar")
			return kept{d: &d, size: size + decoded*len(b)}
		}
	}
	own := filepath.Join(c.dir, id, "data.p")
	if b, err := os.ReadFile(own); err == nil {
		if m, err := wire.DecodeMap(b); err == nil { // a damaged file is ignored: the minion's next pillar request replaces it
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
	return kept{d: &d, size: size}
}

// Put stores the data that a minion sent. id must have an accepted key.
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
	if err := durable.WriteFileLazy(filepath.Join(dir, "data.p"), b, 0o600); err != nil {
		return fmt.Errorf("store data of minion %s: %w", id, err)
	}
	c.shared.store(id, b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(id)
	return nil
}

// Share makes a store outside of this machine the first copy of the data, before the cache is used. now is the
// clock.
func (c *Cache) Share(s returners.Cache, log *slog.Logger, now func() time.Time) {
	c.shared = &shared{cache: s, log: log, now: now, behind: map[string]struct{}{}}
	c.now = now
}

// Tend stores or removes the shared data for which that failed. Call it every second.
func (c *Cache) Tend() {
	if c.shared == nil {
		return
	}
	for _, id := range c.shared.late() {
		f := c.file(id)
		f.Lock()
		if b, err := os.ReadFile(filepath.Join(c.dir, id, "data.p")); err == nil {
			c.shared.store(id, b)
		} else if errors.Is(err, fs.ErrNotExist) {
			c.shared.flush(id)
		}
		f.Unlock()
	}
}

// Close closes the store that is shared.
func (c *Cache) Close() error {
	if c.shared == nil {
		return nil
	}
	return c.shared.cache.Close()
}

// putBanks updates the banks of Salt 3008, if they exist.
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

// Clear removes the grains, the pillar or both of a minion, and reports whether there were any. id
// must have an accepted key.
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

// Remove removes the data of a minion whose key was deleted.
func (c *Cache) Remove(id string) error {
	f := c.file(id)
	f.Lock()
	defer f.Unlock()
	c.mu.Lock()
	c.drop(id)
	c.mu.Unlock()
	c.shared.flush(id)
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
