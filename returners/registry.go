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

// Value returns an option, from the second set if it is there; nil if it is unset or None.
func (o Options) Value(name string) any {
	for _, n := range []string{o.Prefix + "." + name, name} {
		if v := o.Values[n]; v != nil && v != "None" {
			return v
		}
	}
	return nil
}

// Driver opens a returner by its name in the configuration.
type Driver struct {
	Name string
	// Doc says what the returner stores where, and its options.
	Doc string
	// Options are the names of its options, each prefixed with the name of the returner and
	// a dot. The configuration files accept them.
	Options []string
	// Store says that it is a job store, a [Returner]: a master may use it as its job cache
	// and for events.
	Store bool
	Open  func(ctx context.Context, o Options) (Saver, error)
}

// verify returns an error if a declaration is incomplete.
func (d Driver) verify() error {
	if d.Name == "" || d.Open == nil || strings.TrimSpace(d.Doc) == "" {
		return fmt.Errorf("%q has no name, code or documentation", d.Name)
	}
	for _, o := range d.Options {
		if !strings.HasPrefix(o, d.Name+".") || !strings.Contains(d.Doc, o) {
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
	config.Know(d.Name, d.Store, d.Options...)
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
