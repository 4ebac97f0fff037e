package returners

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options is what a returner is opened with.
type Options struct {
	// Path is the file of an embedded store.
	Path string
	// Values holds Salt's options by name ("mysql.host", …) as the
	// configuration has them; each returner reads its own.
	Values map[string]any
	// Prefix selects a second set of options (Salt's --return_config):
	// "alternative" reads "alternative.mysql.host" before "mysql.host".
	Prefix string

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

// Opener opens a returner.
type Opener func(ctx context.Context, o Options) (Returner, error)

var registry = struct {
	sync.RWMutex
	open map[string]Opener
}{open: map[string]Opener{}}

// Register makes a returner known by the name used in the configuration. It
// panics when the name is taken: two packages claim it, which is a fault of
// the program.
func Register(name string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.open[name]; taken {
		panic("returners: " + name + " is registered twice")
	}
	registry.open[name] = open
}

// Open opens the returner called name.
func Open(ctx context.Context, name string, o Options) (Returner, error) {
	registry.RLock()
	open, ok := registry.open[name]
	registry.RUnlock()
	if !ok {
		return nil, fmt.Errorf("returner %q: %w; use one of: %s", name, ErrUnknown, strings.Join(Names(), ", "))
	}
	return open(ctx, o)
}

// Names lists the registered returners, sorted.
func Names() []string {
	registry.RLock()
	defer registry.RUnlock()
	names := make([]string, 0, len(registry.open))
	for n := range registry.open {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
