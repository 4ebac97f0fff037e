package daemon

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// Tags of the events. Both have a token, which identifies the answer, and a retcode, because
// events with one stay at the node that fires them. The answer has the links to the masters
// above (except from a master alone), and the failing checks of /readyz with their reasons.
const (
	HealthRequest = "mom/pulse/ask"
	HealthReply   = "mom/pulse/tell"
)

// healthTimeout bounds the checks for one request: less than `mom health` waits.
const healthTimeout = 2 * time.Second

// Health provides the state of a daemon.
type Health struct {
	Links  func() map[string]bool // the masters above, and whether each is connected; nil means none above
	Checks []metrics.Checker      // nil ones are left out
	// Say fires the answer where the request came from; nil means on the bus that is read.
	Say func(ctx context.Context, tag string, d *wire.Map) error
}

// AnswerHealth answers requests until ctx ends.
func AnswerHealth(ctx context.Context, b *bus.Bus, h Health) {
	for ctx.Err() == nil {
		sub := b.Subscribe(bus.SubscribeOptions{Prefixes: []string{HealthRequest}, Size: 16, DropWhenFull: true})
		answerHealth(ctx, b, sub, h)
		sub.Close()
		_ = timing.Sleep(ctx, 100*time.Millisecond) // the bus is closing, or has cut us off
	}
}

// RunWithHealth runs a daemon and answers requests while it runs.
func RunWithHealth(ctx context.Context, b *bus.Bus, h Health, run func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { AnswerHealth(ctx, b, h) })
	defer wg.Wait()
	defer cancel()
	return run(ctx)
}

// report returns the answer to a request.
func (h Health) report(ctx context.Context, token string) *wire.Map {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	failing := wire.NewMap()
	for _, check := range h.Checks {
		if check == nil {
			continue
		}
		for _, c := range check(ctx) {
			if !c.OK {
				failing.Set(c.Name, c.Reason)
			}
		}
	}
	answer := wire.NewMap("token", token, "failing", failing, "retcode", 0)
	if h.Links != nil {
		now, up := h.Links(), wire.NewMap()
		for _, name := range slices.Sorted(maps.Keys(now)) {
			up.Set(name, now[name])
		}
		answer.Set("links", up)
	}
	return answer
}

func answerHealth(ctx context.Context, b *bus.Bus, sub *bus.Subscription, h Health) {
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			d, err := wire.DecodeMap(e.Data)
			if err != nil {
				continue
			}
			answer := h.report(ctx, d.String("token"))
			if h.Say == nil {
				_ = b.Fire(HealthReply, answer) // a closed bus has no readers
				continue
			}
			if err := h.Say(ctx, HealthReply, answer); err != nil && ctx.Err() == nil {
				slog.Warn("status request not answered", "err", err)
			}
		}
	}
}
