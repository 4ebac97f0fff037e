package returners

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/returners/internal/settings"
)

// Options configure a returner.
type Options struct {
	// Values holds Salt's options by name ("mysql.host", …) as in the configuration; each
	// returner reads its own.
	Values map[string]any
	// Prefix selects a second set of options (Salt's --return_config):
	// "alternative" reads "alternative.mysql.host" before "mysql.host".
	Prefix string

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

// Value returns an option, from the second set if it is there; nil if it is unset or None. It
// may also be in a map: {"mysql": {"host": …}}.
func (o Options) Value(name string) any {
	_, v := settings.New(o.Values, o.Prefix).Get(name)
	return v
}

// Driver opens a returner by its name in the configuration.
type Driver struct {
	Name string
	// Doc says what the returner stores where, and its options.
	Doc string
	// Options are the names of its options, each prefixed with the name of the returner and
	// a dot, or with "returner." before that. The configuration files accept them.
	Options []string
	// Store says that it is a job store, a [Returner]: a master may use it as its job cache.
	Store bool
	// Events says that it is an [EventSaver]: a master may use it for events (event_return).
	Events bool
	// Check returns what is wrong with the options. It opens nothing but files that they name. nil:
	// there is nothing to check.
	Check func(o Options) error
	Open  func(ctx context.Context, o Options) (Saver, error)
	// Cache opens the driver of this name for the option cache; nil: it has none.
	Cache func(o Options) (Cache, error)
}

// verify returns an error if a declaration is incomplete.
func (d Driver) verify() error {
	if d.Name == "" || d.Open == nil || strings.TrimSpace(d.Doc) == "" {
		return fmt.Errorf("%q has no name, code or documentation", d.Name)
	}
	for _, o := range d.Options {
		if !strings.HasPrefix(strings.TrimPrefix(o, "returner."), d.Name+".") || !strings.Contains(d.Doc, o) {
			return fmt.Errorf("%s: option %s lacks the returner's prefix or is not documented", d.Name, o)
		}
	}
	return nil
}

var registry = struct {
	sync.RWMutex
	drivers map[string]Driver
}{drivers: map[string]Driver{}}

// Register makes a returner known. Call it from init. It panics on a fault in the
// declaration, such as a duplicate name.
func Register(d Driver) {
	registry.Lock()
	defer registry.Unlock()
	err := d.verify()
	if _, taken := registry.drivers[d.Name]; err == nil && taken {
		err = fmt.Errorf("%s is registered twice", d.Name)
	}
	if err != nil {
		panic("returners: " + err.Error())
	}
	registry.drivers[d.Name] = d
	config.Know(config.Returner{Name: d.Name, Store: d.Store, Events: d.Events, Options: d.Options})
}

// Lookup returns the driver of a returner.
func Lookup(name string) (Driver, bool) {
	registry.RLock()
	defer registry.RUnlock()
	d, ok := registry.drivers[name]
	return d, ok
}

// Open opens the returner called name.
func Open(ctx context.Context, name string, o Options) (Saver, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("returner %q: %w; use one of: %s", name, ErrUnknown, strings.Join(Names(), ", "))
	}
	return d.Open(ctx, o)
}

// OpenStore opens the returner called name, which has to be a job store.
func OpenStore(ctx context.Context, name string, o Options) (Returner, error) {
	if d, ok := Lookup(name); ok && !d.Store {
		return nil, fmt.Errorf("returner %q: %w; use it with --return only", name, ErrNoStore)
	}
	s, err := Open(ctx, name, o)
	if err != nil {
		return nil, err
	}
	r, ok := s.(Returner)
	if !ok {
		return nil, fmt.Errorf("returner %q: %w, although declared as one", name, ErrNoStore)
	}
	return r, nil
}

// Check returns why the returner called name cannot be opened with these options, as far as
// that is known without opening it. With store it has to be a job store, otherwise to keep
// events.
func Check(name string, store bool, o Options) error {
	d, ok := Lookup(name)
	switch {
	case !ok:
		return fmt.Errorf("returner %q: %w; use one of: %s", name, ErrUnknown, strings.Join(Names(), ", "))
	case store && !d.Store:
		return fmt.Errorf("returner %q: %w", name, ErrNoStore)
	case !store && !d.Events:
		return fmt.Errorf("returner %q: %w", name, ErrNoEvents)
	case d.Check == nil:
		return nil
	}
	return d.Check(o)
}

// OpenEvents opens the returner called name, which has to keep events.
func OpenEvents(ctx context.Context, name string, o Options) (EventSaver, error) {
	if d, ok := Lookup(name); ok && !d.Events {
		return nil, fmt.Errorf("returner %q: %w; use it with --return only", name, ErrNoEvents)
	}
	s, err := Open(ctx, name, o)
	if err != nil {
		return nil, err
	}
	e, ok := s.(EventSaver)
	if !ok {
		return nil, fmt.Errorf("returner %q: %w, although declared so", name, ErrNoEvents)
	}
	return e, nil
}

// Names lists the registered returners, sorted.
func Names() []string {
	registry.RLock()
	defer registry.RUnlock()
	names := make([]string, 0, len(registry.drivers))
	for n := range registry.drivers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
