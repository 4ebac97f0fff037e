package states

import "sync"

// Shared is what the functions of one run leave for each other. The zero value is
// ready; it may be used by several goroutines.
type Shared struct {
	mu   sync.Mutex
	vals map[any]any
}

// Update replaces the value of key (nil at first) by what fn makes of it, and returns it.
// Keys are of types of their own, as those of a context.
func (s *Shared) Update(key any, fn func(old any) any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vals == nil {
		s.vals = map[any]any{}
	}
	v := fn(s.vals[key])
	s.vals[key] = v
	return v
}

// Get returns the value of key, nil when there is none.
func (s *Shared) Get(key any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vals[key]
}
