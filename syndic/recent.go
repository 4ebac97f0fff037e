package syndic

import "sync"

// recent maps the last few keys that were added to a value.
type recent[V any] struct {
	mu    sync.Mutex
	size  int
	items map[string]V
	order []string // a ring once it is full
	next  int      // its oldest entry
}

func newRecent[V any](size int) *recent[V] {
	return &recent[V]{size: max(size, 1), items: map[string]V{}}
}

func (r *recent[V]) get(key string) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.items[key]
	return v, ok
}

// set gives a key its value; a key that is known keeps its age.
func (r *recent[V]) set(key string, v V) {
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
