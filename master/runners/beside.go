package runners

import "context"

// Go has something else that a user asked for done beside the calls, and within their
// bound, for nobody who waits. Its context is over when the master begins to close. The
// error is [ErrBusy].
func (h *Host) Go(do func(ctx context.Context)) error {
	if !h.slots.TryTake() {
		return ErrBusy
	}
	h.wg.Go(func() {
		defer h.slots.Give()
		do(h.Ctx)
	})
	return nil
}
