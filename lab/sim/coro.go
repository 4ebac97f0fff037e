package sim

import "iter"

// coro runs code that blocks, such as the handover of a batch, one step at a time.
type coro struct {
	next  func() (struct{}, bool)
	end   func()
	yield func(struct{}) bool
	inner bool // its code is running
	dead  bool
}

func newCoro(body func(c *coro)) *coro {
	c := &coro{}
	c.next, c.end = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		body(c)
	})
	return c
}

// resume runs the code until it parks or returns.
func (c *coro) resume() {
	if c.dead || c.inner {
		return
	}
	c.inner = true
	defer func() { c.inner = false }()
	c.next()
}

// park blocks the code until the next resume. It returns false if the code must return.
func (c *coro) park() bool {
	ok := !c.dead && c.yield(struct{}{})
	c.dead = c.dead || !ok
	return ok
}

// stop makes a parked coroutine return. Running code may not park any more and must return.
func (c *coro) stop() {
	c.dead = true
	if !c.inner {
		c.end()
	}
}
