package minion

import (
	"context"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/grains"
)

// grainStore holds the grains as last collected.
type grainStore struct {
	collect func(ctx context.Context) *wire.Map

	mu  sync.Mutex
	now *wire.Map
}

func newGrainStore(cfg *config.Minion, version string, collect func(context.Context) *wire.Map, log *slog.Logger) *grainStore {
	if collect == nil {
		collect = func(ctx context.Context) *wire.Map {
			master, _ := cfg.Get("master")
			return grains.Collect(ctx, grains.Options{
				ID: cfg.ID, Master: master, ConfDir: cfg.Dir, Static: cfg.Grains, Version: version, Log: log,
			})
		}
	}
	return &grainStore{collect: collect, now: wire.NewMap("id", cfg.ID)}
}

// get returns the grains, which the caller does not change.
func (g *grainStore) get() *wire.Map {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

// refresh collects anew and reports whether something changed.
func (g *grainStore) refresh(ctx context.Context) (changed bool) {
	fresh := g.collect(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	before, err1 := wire.Encode(g.now)
	after, err2 := wire.Encode(fresh)
	changed = err1 != nil || err2 != nil || string(before) != string(after)
	g.now = fresh
	return changed
}

// some picks the named grains that exist.
func (g *grainStore) some(names []string) *wire.Map {
	all, out := g.get(), wire.NewMap()
	for _, name := range names {
		if v, ok := all.Get(name); ok {
			out.Set(name, v)
		}
	}
	return out
}
