package link

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A parent that takes 9 s for returns and answers other requests at once times out once, not at
// each batch. When it is fast again the timeout shrinks. For a parent that never answers the
// timeout grows to the limit.
func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &timeouts{longest: 30 * time.Second}
		ask := func(kind string, takes time.Duration) (gaveUp bool) {
			ctx, done := p.begin(t.Context(), kind, 5*time.Second)
			var err error
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-time.After(takes):
			}
			done(err)
			return err != nil
		}
		late := 0
		for range 10 {
			if ask("_return", 9*time.Second) {
				late++
			}
			if ask("_minion_event", time.Millisecond) {
				t.Error("fast answer timed out")
			}
		}
		if late != 1 {
			t.Errorf("%d of 10 batches timed out", late)
		}
		ask("_return", time.Millisecond)
		if began := time.Now(); !ask("_return", time.Hour) || time.Since(began) != 5*time.Second {
			t.Errorf("first request to an absent parent took %v", time.Since(began))
		}
		for range 5 {
			ask("_return", time.Hour)
		}
		if began := time.Now(); !ask("_return", time.Hour) || time.Since(began) != 30*time.Second {
			t.Errorf("last request took %v", time.Since(began))
		}
		// Other failures, and cancelled requests, do not change the timeout.
		_, done := p.begin(t.Context(), "x", 5*time.Second)
		done(errors.New("refused"))
		ctx, cancel := context.WithCancel(t.Context())
		_, done = p.begin(ctx, "x", 5*time.Second)
		cancel()
		done(ctx.Err())
		if p.by["x"] != 0 {
			t.Errorf("timeouts %v", p.by["x"])
		}
	})
}
