package runners

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/master/access"
)

// Background work counts as a call, and Close waits for it.
func TestBesideIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := NewHost(NewCalls(CallsOptions{Ctx: ctx}), func(access.Owner) Env { return nil })
	var ended atomic.Int32
	for range maxCalls {
		if err := h.Go(func(ctx context.Context) {
			<-ctx.Done()
			ended.Add(1)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Go(func(context.Context) { t.Error("one more was begun") }); !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if _, err := h.Start(Bound{}, Start{}); !errors.Is(err, ErrBusy) {
		t.Errorf("a call: %v", err)
	}
	cancel()
	h.Close()
	if n := ended.Load(); n != maxCalls {
		t.Errorf("%d of %d have ended", n, maxCalls)
	}
}
