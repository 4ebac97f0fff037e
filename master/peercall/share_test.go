package peercall

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/runners"
)

// held holds runners that block for one function.
type held chan struct{}

func (h held) Do(ctx context.Context, b runners.Bound, _ runners.Start) (any, error) {
	if b.Fun() == "test.sleep" {
		select {
		case <-h:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return "done", nil
}

// Attack: a minion that may call runners fills its share of waiting calls. Others are not affected.
func TestRunner_OneMinion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet, goOn := slog.New(slog.DiscardHandler), make(held)
		s := New(Options{
			Rules: access.NewPeers(access.PeerOptions{Run: map[string]any{".*": []any{"test.*"}}, List: access.New(access.Options{Log: quiet}), Log: quiet}),
			Own:   "root", Runners: goOn, JID: func() string { return "1" }, Audit: func(access.Asked) {}, Log: quiet,
		})
		call := func(id, fun string) (any, error) {
			return s.runner(t.Context(), id, wire.NewMap("fun", fun, "arg", []any{}))
		}
		var wg sync.WaitGroup
		for range maxWaiting + 10 {
			wg.Go(func() { _, _ = call("evil", "test.sleep") })
		}
		synctest.Wait()
		if v, err := call("good", "test.echo"); v != "done" || err != nil {
			t.Errorf("another minion has %v, %v", v, err)
		}
		close(goOn)
		wg.Wait()
	})
}
