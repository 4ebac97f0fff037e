package runners

import "context"

// Go runs do in the background, in one of the slots of the calls. Nobody waits for it. Its context
// ends when the master begins to close. The error is [ErrBusy] if no slot is free.
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
