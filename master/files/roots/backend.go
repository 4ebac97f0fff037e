package roots

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/value"
)

func init() { files.Register("roots", open) }

// backend is the backend roots.
type backend struct {
	*Tree
	interval time.Duration
	events   bool

	mu   sync.Mutex
	seen map[string]int64 // file times of the last check; nil before the first
}

func open(e files.Env) (files.Backend, error) {
	roots, err := e.Config.Roots()
	if err != nil {
		return nil, err
	}
	t := New(Options{
		Roots: roots, Ignore: e.Ignore, Follow: e.Config.FileserverFollowsymlinks, Hide: e.Config.FileserverIgnoresymlinks,
		Log: e.Log, Now: e.Now,
	})
	b := &backend{Tree: t, interval: e.Config.RootsUpdateInterval, events: e.Config.FileserverEvents}
	return b, nil
}

// Interval returns roots_update_interval if the event is enabled: the check has no other purpose.
func (b *backend) Interval() time.Duration {
	if !b.events {
		return 0
	}
	return b.interval
}

// Update reports files added, removed and changed since the last call. As in Salt, it ignores
// directories of __env__.
func (b *backend) Update(ctx context.Context, _ []string) (*value.Map, error) {
	now := map[string]int64{}
	for _, list := range b.o.Roots {
		for _, root := range list {
			if err := b.times(ctx, root, now); err != nil {
				return nil, err
			}
		}
	}
	b.mu.Lock()
	was := b.seen
	b.seen = now
	b.mu.Unlock()
	var changed, removed, added []string
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if at, there := now[path]; !there {
			removed = append(removed, path)
		} else if at != was[path] {
			changed = append(changed, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(now)) {
		if _, known := was[path]; !known {
			added = append(added, path)
		}
	}
	if was == nil { // the first check after a start has nothing to compare with
		added = nil
	}
	return value.NewMap("changed", len(changed)+len(removed)+len(added) > 0,
		"files", value.NewMap("changed", wire.AnyList(changed), "removed", wire.AnyList(removed), "added", wire.AnyList(added)),
		"backend", "roots"), nil
}

func (b *backend) times(ctx context.Context, root string, into map[string]int64) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || d.IsDir() || b.o.Ignore.Match(path): // an unreadable entry is not a change
			return nil //nolint:nilerr // see above
		}
		if info, err := os.Stat(path); err == nil {
			into[path] = info.ModTime().UnixNano()
		}
		return nil
	})
}
