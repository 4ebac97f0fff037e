package syndic

import "github.com/momtree/mom/syndic/forwarding"

// recent maps the last few keys that were added to a value.
type recent[V any] struct{ kept *forwarding.Recent[V] }

func newRecent[V any](size int) *recent[V] { return &recent[V]{forwarding.NewRecent[V](size)} }

func (r *recent[V]) get(key string) (V, bool) { return r.kept.Get(key) }

// set gives a key its value; a key that is known keeps its age.
func (r *recent[V]) set(key string, v V) { r.kept.Set(key, v) }
