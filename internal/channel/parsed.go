package channel

import "sync/atomic"

// parsed caches what was parsed from the last text. Thousands of minions in one process
// (lab/swarm) have the same master, whose keys are then in memory once. The parsed value must
// be safe for concurrent use.
type parsed[T any] struct{ last atomic.Pointer[made[T]] }

// made is a text and its parsed value.
type made[T any] struct {
	text  string
	value T
}

// get returns the cached value of text, or calls parse. The text that it returns is shared,
// too.
func (p *parsed[T]) get(text string, parse func(string) (T, error)) (made[T], error) {
	if m := p.last.Load(); m != nil && m.text == text {
		return *m, nil
	}
	value, err := parse(text)
	m := made[T]{text, value}
	if err == nil {
		p.last.Store(&m)
	}
	return m, err
}
