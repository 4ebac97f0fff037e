package forwarding

import "sync"

// Recent maps the last few keys that were added to a value. It is safe for
// concurrent use.
type Recent[V any] struct {
	mu    sync.Mutex
	size  int
	items map[string]V
	order []string // a ring once it is full
	next  int      // its oldest entry
}

// NewRecent remembers size keys, at least one.
func NewRecent[V any](size int) *Recent[V] {
	return &Recent[V]{size: max(size, 1), items: map[string]V{}}
}

// Get gives the value of a key that is still remembered.
func (r *Recent[V]) Get(key string) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.items[key]
	return v, ok
}

// Set gives a key its value; a key that is known keeps its age.
func (r *Recent[V]) Set(key string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.items[key]
	r.items[key] = v
	switch {
	case known:
	case len(r.order) < r.size:
		r.order = append(r.order, key)
	default:
		delete(r.items, r.order[r.next])
		r.order[r.next] = key
		r.next = (r.next + 1) % r.size
	}
}

// Each calls f with all that is remembered, the oldest first.
func (r *Recent[V]) Each(f func(key string, v V)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.order {
		key := r.order[(r.next+i)%len(r.order)]
		f(key, r.items[key])
	}
}
