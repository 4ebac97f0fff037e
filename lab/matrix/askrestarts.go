package matrix

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/momtree/mom/lab/peers"
)

// afterRestart pings until all have answered the top: minions of Salt's connect anew by
// chance within some seconds.
func (w *world) afterRestart(ctx context.Context, err error) verdicts {
	if err != nil {
		return w.each(nil, err, nil)
	}
	return again(ctx, 3*time.Minute, func() verdicts {
		got, err := w.jobTo(ctx, 20*time.Second, len(w.Minions), "-L", w.target(), "test.ping")
		return w.each(got, err, func(_ kind, a answer) string { return like(a.value, true) })
	})
}

// restart ends a daemon by SIGTERM and starts it again.
func restart(ctx context.Context, n *peers.Node) error {
	if err := n.Stop(8 * time.Second); err != nil && n.Salt == nil {
		return err // Salt's own may well need the SIGKILL
	}
	return n.Start(ctx)
}

func restartMinions(ctx context.Context, w *world) verdicts {
	mark := w.low.Events.Mark()
	var wg sync.WaitGroup
	errs := make([]error, len(w.Minions))
	for i, k := range w.Minions {
		wg.Go(func() { errs[i] = restart(ctx, w.minions[k]) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return w.each(nil, err, nil)
	}
	return w.afterRestart(ctx, w.low.Joined(ctx, mark, "minion", w.all()...))
}

func restartNode(ctx context.Context, w *world) verdicts {
	for _, n := range w.chain[1:] {
		if err := restart(ctx, n); err != nil {
			return w.each(nil, err, nil)
		}
	}
	return w.afterRestart(ctx, nil)
}

func restartTop(ctx context.Context, w *world) verdicts {
	return w.afterRestart(ctx, restart(ctx, w.top))
}
