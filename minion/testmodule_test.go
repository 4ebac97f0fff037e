package minion

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// gate is used by the functions of the module "gate", which wait for it.
type gate struct {
	mu      sync.Mutex
	open    chan struct{}
	entered chan string
}

var (
	gates    gate
	counted  atomic.Int64
	atOnce   atomic.Int64
	mostOnce atomic.Int64
)

// reset closes the gate and resets all counts.
func (g *gate) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open, g.entered = make(chan struct{}), make(chan string, 1000)
	counted.Store(0)
	mostOnce.Store(0)
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open)
}

func (g *gate) channels() (open <-chan struct{}, entered chan string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open, g.entered
}

func init() {
	run := func(f func(ctx context.Context, c *modules.Call) (any, error)) func(context.Context, *modules.Call) (any, error) {
		return f
	}
	modules.Register("gate",
		modules.Function{Name: "wait", Doc: "Wait until the test opens the gate.", Run: run(func(ctx context.Context, c *modules.Call) (any, error) {
			open, entered := gates.channels()
			n := atOnce.Add(1)
			defer atOnce.Add(-1)
			for most := mostOnce.Load(); n > most && !mostOnce.CompareAndSwap(most, n); most = mostOnce.Load() {
			}
			entered <- c.JID
			select {
			case <-open:
				return "through", nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})},
		modules.Function{Name: "count", Doc: "Count the calls.", Run: run(func(context.Context, *modules.Call) (any, error) {
			return counted.Add(1), nil
		})},
		modules.Function{Name: "fail", Doc: "Fail.", Run: run(func(context.Context, *modules.Call) (any, error) {
			return nil, &modules.CommandError{Msg: "it failed"}
		})},
		modules.Function{Name: "panic", Doc: "Panic.", Run: run(func(context.Context, *modules.Call) (any, error) {
			panic("as requested")
		})},
		modules.Function{Name: "code", Doc: "Set a retcode.", Run: run(func(_ context.Context, c *modules.Call) (any, error) {
			c.Retcode = 3
			return "out", nil
		})},
		modules.Function{Name: "big", Doc: "Return more than a frame takes.", Run: run(func(context.Context, *modules.Call) (any, error) {
			return string(make([]byte, 2<<20)), nil
		})},
		modules.Function{Name: "odd", Doc: "Return what has no wire form.", Run: run(func(context.Context, *modules.Call) (any, error) {
			return func() {}, nil
		})},
		modules.Function{Name: "env", Doc: "Show the minion.", Run: run(func(ctx context.Context, c *modules.Call) (any, error) {
			return wire.NewMap(
				"os", c.Env.Grains().String("os"), "who", c.Env.Pillar().String("who"),
				"retry", c.Env.Option("return_retry_tries"), "nothing", c.Env.Option("no_such_option"),
				"masters", len(c.Env.Masters()), "jobs", len(c.Env.Jobs().Running()),
			), errors.Join(c.Env.Fire(ctx, "my/tag", wire.NewMap("a", 1)), c.Env.RefreshPillar(ctx))
		})},
	)
}

// gated publishes n jobs that wait at the gate, and returns their jids.
func gated(m *channeltest.Master, n int) []string {
	jids := make([]string, n)
	for i := range jids {
		jids[i] = newJID()
		m.Publish(channeltest.Job(jids[i], "m1", "gate.wait"))
	}
	return jids
}
