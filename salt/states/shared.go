package states

import "sync"

// Shared passes data between functions of one run. The zero value is ready to use. It is
// safe for concurrent use.
type Shared struct {
	mu   sync.Mutex
	vals map[any]any
}

// Update replaces the value of key (nil at first) by the result of fn, and returns it. As
// with a context, use an own type for keys.
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

// Get returns the value of key, or nil.
func (s *Shared) Get(key any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vals[key]
}
