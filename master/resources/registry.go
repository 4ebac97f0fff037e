package resources

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

const (
	// file is the name of a minion's registration in its directory of the data cache.
	file = "resources.p"
	// MaxResources limits the resources of one minion.
	MaxResources = 10_000
	// maxBytes limits a registration, grains included.
	maxBytes = 8 << 20
)

// Options configure a [Registry]. All are required.
type Options struct {
	// Cachedir is the directory of the data cache.
	Cachedir string
	// HasKey reports whether an id has an accepted key here. Keys in other states do not count:
	// anybody can offer one.
	HasKey func(id string) bool
	// Accepted lists the ids with an accepted key.
	Accepted func() []string
	Log      *slog.Logger
}

// Registry is safe for concurrent use.
type Registry struct {
	o  Options
	mu sync.RWMutex
	of map[string][]target.Resource // by minion, sorted
	by map[string]string            // minion by resource id
}

// Open reads the registrations of a previous run. Unreadable ones are logged and skipped: the
// minion registers again.
func Open(o Options) *Registry {
	r := &Registry{o: o, of: map[string][]target.Resource{}, by: map[string]string{}}
	for _, minion := range o.Accepted() {
		b, err := os.ReadFile(r.path(minion))
		if err != nil {
			continue // most minions have none
		}
		list, err := Parse(b)
		if err != nil {
			o.Log.Warn("registered resources not read", "minion", minion, "err", err)
			continue
		}
		r.enter(minion, list)
	}
	return r
}

func (r *Registry) path(minion string) string {
	return filepath.Join(r.o.Cachedir, "minions", minion, file)
}

// Parse decodes the load of `_register_resources`, or a file with its fields.
func Parse(load wire.Raw) ([]target.Resource, error) {
	if len(load) > maxBytes {
		return nil, fmt.Errorf("resources take %d bytes; at most %d are kept", len(load), maxBytes)
	}
	m, err := wire.DecodeMap(load)
	if err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	kinds := m.Map("resources")
	if kinds == nil {
		return nil, fmt.Errorf("resources: not a map by type")
	}
	grains := m.Map("resource_grains")
	var out []target.Resource
	for _, k := range kinds.Keys() {
		kind, ok := k.(string)
		if !ok || kind == "" {
			return nil, fmt.Errorf("resources: %v is not a type", k)
		}
		for _, id := range kinds.Strings(kind) {
			if err := keys.ValidID(id); err != nil {
				return nil, fmt.Errorf("resource of type %s: %w", kind, err)
			}
			if len(out) == MaxResources {
				return nil, fmt.Errorf("more than %d resources", MaxResources)
			}
			res := target.Resource{Type: kind, ID: id}
			if g := grains.Map(kind + ":" + id); g != nil {
				res.Grains = g
			}
			out = append(out, res)
		}
	}
	return out, nil
}

// Encode is the reverse of [Parse].
func Encode(list []target.Resource) (wire.Raw, error) {
	kinds, grains := wire.NewMap(), wire.NewMap()
	for _, res := range list {
		ids, _ := kinds.Get(res.Type)
		old, _ := ids.([]any)
		kinds.Set(res.Type, append(old, res.ID))
		if res.Grains != nil {
			grains.Set(res.Type+":"+res.ID, res.Grains)
		}
	}
	return wire.Encode(wire.NewMap("resources", kinds, "resource_grains", grains))
}

// Register replaces the resources of a minion. refused maps the ids that it does not get to
// reasons. The others are stored.
func (r *Registry) Register(minion string, list []target.Resource) (refused map[string]string, err error) {
	refused = map[string]string{}
	r.mu.Lock()
	defer r.mu.Unlock()
	own := list[:0:0]
	seen := map[string]bool{}
	for _, res := range list {
		switch owner, taken := r.by[res.ID]; {
		//mutant:resource-key
		case r.o.HasKey(res.ID):
			refused[res.ID] = "a minion of this id has a key"
		//mutant:resource-first
		case taken && owner != minion:
			refused[res.ID] = "minion " + owner + " has registered it"
		case seen[res.ID]:
			refused[res.ID] = "it has another type too"
		default:
			seen[res.ID] = true
			own = append(own, res)
		}
	}
	if err := r.store(minion, own); err != nil {
		return refused, fmt.Errorf("store resources of %s: %w", minion, err)
	}
	r.drop(minion)
	r.enter(minion, own)
	return refused, nil
}

func (r *Registry) store(minion string, list []target.Resource) error {
	if len(list) == 0 {
		if err := os.Remove(r.path(minion)); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	b, err := Encode(list)
	if err != nil {
		return err
	}
	if err := durable.Folder(filepath.Dir(r.path(minion)), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(r.path(minion), b, 0o600)
}

// enter adds resources that no other minion has. The caller holds r.mu, or r is not shared yet.
func (r *Registry) enter(minion string, list []target.Resource) {
	for _, res := range list {
		if _, taken := r.by[res.ID]; !taken {
			r.by[res.ID] = minion
			r.of[minion] = append(r.of[minion], res)
		}
	}
}

func (r *Registry) drop(minion string) {
	for _, res := range r.of[minion] {
		delete(r.by, res.ID)
	}
	delete(r.of, minion)
}

// Forget removes the registration of a minion whose key was deleted.
func (r *Registry) Forget(minion string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(minion)
	if err := r.store(minion, nil); err != nil {
		r.o.Log.Error("resources not removed", "minion", minion, "err", err)
	}
}

// Managers lists the minions that have resources, sorted.
func (r *Registry) Managers() []string {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.of))
}

// Of returns the resources of a minion, without ids that have a key by now.
func (r *Registry) Of(minion string) []target.Resource {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	list := r.of[minion]
	r.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(list), func(res target.Resource) bool { return r.o.HasKey(res.ID) })
}

// IDs returns the ids of the resources of a minion.
func (r *Registry) IDs(minion string) (ids []string) {
	for _, res := range r.Of(minion) {
		ids = append(ids, res.ID)
	}
	return ids
}

// Manager returns the minion that manages a resource; "" if none does, or the id has a key.
func (r *Registry) Manager(id string) string {
	if r == nil {
		return ""
	}
	r.mu.RLock()
	minion := r.by[id]
	r.mu.RUnlock()
	if minion == "" || r.o.HasKey(id) {
		return ""
	}
	return minion
}

// Subject returns a minion with its resources, for target matching.
func (r *Registry) Subject(s target.Subject) target.Subject { return subject{s, r} }

type subject struct {
	target.Subject
	r *Registry
}

// Manages reports whether the minion manages a resource of that type and, unless id is "", of that
// id.
func (s subject) Manages(kind, id string) bool {
	return slices.ContainsFunc(s.r.Of(s.ID()), func(res target.Resource) bool {
		return res.Type == kind && (id == "" || res.ID == id)
	})
}
