package pillar

import (
	"fmt"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Request is a request for the pillar of one minion.
type Request struct {
	// ID is the minion, as proven by its key.
	ID string
	// Grains are the grains that the minion sent; nil if unknown. Their id is replaced.
	Grains *value.Map
	// Saltenv and Pillarenv are the requested environments; may be "".
	Saltenv, Pillarenv string
	// Override is merged over the pillar.
	Override *value.Map
	// Ext maps the sources that the minion requests to their arguments; on_demand_ext_pillar limits
	// them.
	Ext any
	// Passing is set if somebody other than the minion asks, such as an operator. Such requests
	// neither use nor fill the cache.
	Passing bool
	// Fresh ignores cached data (clean_cache).
	Fresh bool
}

// own returns the request with a copy of the grains, which templates may modify, and with the true
// id in it.
func (r Request) own() Request {
	grains, _ := Copy(r.Grains).(*value.Map)
	if grains == nil {
		grains = value.NewMap()
	}
	//mutant:pillar-id-of-the-key
	grains.Set("id", r.ID)
	r.Grains = grains
	return r
}

// proper returns an error if the environments of a request are invalid. The minion chooses them,
// and they become parts of paths (stack) and cache keys.
func (r Request) proper() error {
	for _, e := range []struct{ field, env string }{{"saltenv", r.Saltenv}, {"pillarenv", r.Pillarenv}} {
		//mutant:pillar-environments-are-names
		if e.env != "" && !config.ValidSaltenv(e.env) {
			return fmt.Errorf("%s=%.100q is not an environment name", e.field, e.env)
		}
	}
	return nil
}

// Copy returns a deep copy of lists and maps in v.
func Copy(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Copy(e)
		}
		return out
	case *value.Map:
		if v == nil {
			return v
		}
		out := value.Sized(v.Len())
		v.Range(func(key, e any) bool {
			out.Set(key, Copy(e))
			return true
		})
		return out
	case map[string]any, map[any]any, []string:
		return Copy(wire.Normal(v))
	case value.Lazy:
		if e, err := v.Value(); err == nil {
			return Copy(e)
		}
	}
	return v
}
