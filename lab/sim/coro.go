package sim

import "iter"

// coro runs code that waits, such as the hand-over of a batch, one step at a time.
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

// resume runs the code until it parks or ends.
func (c *coro) resume() {
	if c.dead || c.inner {
		return
	}
	c.inner = true
	defer func() { c.inner = false }()
	c.next()
}

// park waits, inside the code, for the next resume; false: it has to end.
func (c *coro) park() bool {
	ok := !c.dead && c.yield(struct{}{})
	c.dead = c.dead || !ok
	return ok
}

// stop ends the code where it parks. Of code that is running it takes the right
// to park; it must end by itself.
func (c *coro) stop() {
	c.dead = true
	if !c.inner {
		c.end()
	}
}
