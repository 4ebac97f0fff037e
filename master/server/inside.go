package server

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/momtree/mom/internal/wire"
)

// Inside runs do for a load from this process like a request from the master's own user: after
// Open, when there is room for its values, and so that a panic becomes an error.
func (s *Server) Inside(ctx context.Context, what string, load wire.Raw, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stop := context.AfterFunc(s.Ctx, cancel)
	defer stop()
	select {
	case <-s.open:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w: the master is starting: %w", what, ErrNotStored, ctx.Err())
	}
	done, err := s.weigh(ctx, &Command{Name: what}, load)
	if err != nil {
		return Invalid("%s: %v", what, err)
	}
	defer done()
	defer func() {
		if p := recover(); p != nil {
			s.Stats.Panics.Add(1)
			s.Log.Error("request handler panicked", "request", what, "panic", p, "stack", string(debug.Stack()))
			//mutant:publish-inside-panics
			err = Invalid("%s: %s", what, handlerRaised)
		}
	}()
	return do(ctx)
}
