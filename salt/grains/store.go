package grains

import (
	"context"
	"sync"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Store holds the most recently collected grains of a minion.
type Store struct {
	collect func(ctx context.Context) *value.Map

	mu  sync.Mutex
	now *value.Map
}

// NewStore returns a store with only the id, until the first Refresh calls collect.
func NewStore(id string, collect func(ctx context.Context) *value.Map) *Store {
	return &Store{collect: collect, now: value.NewMap("id", id)}
}

// Get returns the grains. The caller must not modify them.
func (g *Store) Get() *value.Map {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

// Refresh collects the grains again and reports whether something changed.
func (g *Store) Refresh(ctx context.Context) (changed bool) {
	fresh := g.collect(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	before, err1 := wire.Encode(g.now)
	after, err2 := wire.Encode(fresh)
	changed = err1 != nil || err2 != nil || string(before) != string(after)
	g.now = fresh
	return changed
}

// Some returns those of the named grains that exist.
func (g *Store) Some(names []string) *value.Map {
	all, out := g.Get(), value.NewMap()
	for _, name := range names {
		if v, ok := all.Get(name); ok {
			out.Set(name, v)
		}
	}
	return out
}
