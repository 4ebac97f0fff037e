package returners

import (
	"context"
	"fmt"
	"time"
)

// Cache stores values in banks outside of this machine, for several masters, as Salt's drivers of the option
// cache do. Bank "minions/<id>" has the grains and the pillar of a minion under "data". Values are msgpack.
// It is safe for concurrent use.
type Cache interface {
	// Fetch returns a value, nil if it is missing.
	Fetch(ctx context.Context, bank, key string) ([]byte, error)
	Store(ctx context.Context, bank, key string, value []byte, at time.Time) error
	// Flush removes a bank, which has no others below it, with all its keys.
	Flush(ctx context.Context, bank string) error
	Close() error
}

// OpenCache opens the cache of the driver called name. It does not connect. Its options have the prefix
// "cache.".
func OpenCache(name string, o Options) (Cache, error) {
	d, ok := Lookup(name)
	if !ok || d.Cache == nil {
		return nil, fmt.Errorf("cache %q: no driver of this name is here", name)
	}
	return d.Cache(o)
}
