package pillar

import (
	"fmt"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Request asks for the pillar of one minion.
type Request struct {
	// ID is the minion, as its key has proven it.
	ID string
	// Grains are what it says of itself; nil: nothing is known. The id in them is
	// replaced.
	Grains *value.Map
	// Saltenv and Pillarenv are the environments that it names; "": none.
	Saltenv, Pillarenv string
	// Override is laid over the pillar.
	Override *value.Map
	// Ext are sources that it asks for with arguments of its own, by name; on_demand_ext_pillar
	// says which.
	Ext any
	// Passing says that somebody else looks at it: no kept pillar is used or replaced.
	Passing bool
	// Fresh has nothing that was kept of an earlier pillar used (clean_cache).
	Fresh bool
}

// own gives a request grains of its own, with the true id in them: templates may change
// them.
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

// proper tells what is wrong with the environments of a request, which a minion names: they
// become parts of paths (stack), and what is kept is found by them.
func (r Request) proper() error {
	for _, e := range []struct{ field, env string }{{"saltenv", r.Saltenv}, {"pillarenv", r.Pillarenv}} {
		//mutant:pillar-environments-are-names
		if e.env != "" && !config.ValidSaltenv(e.env) {
			return fmt.Errorf("%s=%.100q is no name of an environment", e.field, e.env)
		}
	}
	return nil
}

// Copy is a value that shares no list and no map with v.
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
