package link

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A master that takes 9 s for returns and answers other requests at once is given up once, and
// not at each batch of returns; when it is quick again, the patience is short again. A master
// that never answers is waited for as long as may be, and no longer.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &patience{longest: 30 * time.Second}
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
				t.Error("a quick answer was not waited for")
			}
		}
		if late != 1 {
			t.Errorf("%d of 10 batches were given up", late)
		}
		ask("_return", time.Millisecond)
		if began := time.Now(); !ask("_return", time.Hour) || time.Since(began) != 5*time.Second {
			t.Errorf("the first request to a master that is gone took %v", time.Since(began))
		}
		for range 5 {
			ask("_return", time.Hour)
		}
		if began := time.Now(); !ask("_return", time.Hour) || time.Since(began) != 30*time.Second {
			t.Errorf("the last took %v", time.Since(began))
		}
		// What fails otherwise, and who stops waiting, says nothing of the master.
		_, done := p.begin(t.Context(), "x", 5*time.Second)
		done(errors.New("refused"))
		ctx, cancel := context.WithCancel(t.Context())
		_, done = p.begin(ctx, "x", 5*time.Second)
		cancel()
		done(ctx.Err())
		if p.by["x"] != 0 {
			t.Errorf("patience %v", p.by["x"])
		}
	})
}
