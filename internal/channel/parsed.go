package channel

import "sync/atomic"

// parsed remembers what was made of one text, the last one. Thousands of minions in one
// process (lab/swarm) have the same master: its keys are there once for all of them.
// What is made must be fit for use by all at once.
type parsed[T any] struct{ last atomic.Pointer[made[T]] }

// made is a text and what it says.
type made[T any] struct {
	text  string
	value T
}

// get gives what parse makes of text, and has made before. The text it gives back is the
// same, and there once.
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
