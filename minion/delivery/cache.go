package delivery

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Cache is the directory in which the option cache_jobs stores returns on the minion.
type Cache string

// CacheOf returns the cache below a cachedir, under the name that Salt uses.
func CacheOf(cachedir string) Cache { return Cache(filepath.Join(cachedir, "minion_jobs")) }

func (c Cache) path(id string) string { return filepath.Join(string(c), id, "return.p") }

// Put stores the return of a job.
func (c Cache) Put(id string, full wire.Raw) error {
	path := c.path(id)
	b, err := wire.ToBus(full)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), durable.WriteFileLazy(path, b, 0o600))
}

// Get reads a stored return.
func (c Cache) Get(id string) (*wire.Map, bool) {
	if jid.Usable(id) != nil {
		return nil, false
	}
	b, err := os.ReadFile(c.path(id))
	if err != nil {
		return nil, false
	}
	load, err := wire.DecodeMap(b)
	return load, err == nil
}
