package runners

import "context"

// Go has something else that a user asked for done beside the calls, and within their
// bound, for nobody who waits. Its context is over when the master begins to close. The
// error is [ErrBusy].
func (c *Calls) Go(do func(ctx context.Context)) error {
	if !c.slots.TryTake() {
		return ErrBusy
	}
	c.wg.Go(func() {
		defer c.slots.Give()
		do(c.o.Ctx)
	})
	return nil
}
