package syndic

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// A1, A2: thousands of returns of one job that come in bursts, to a parent that takes
// its time for each request, over a disk that takes its time for each read: all go up,
// and no timer brings them. It runs with 2,500 returns, five batches of the default
// size, four times; the sweep and the batch timer never fire.
func TestBurstsOfOneJobNeedNoSweep(t *testing.T) {
	for round := range 4 {
		p := startParent(t, channeltest.Rules{})
		take := p.take
		p.Change(func(r *channeltest.Rules) {
			r.Handle["_presence"] = func(string, *wire.Map) any { return wire.NewMap("session", true, "node", "top") }
			r.Handle["_syndic_return"] = func(id string, load *wire.Map) any {
				time.Sleep(time.Duration(1+rand.IntN(8)) * time.Millisecond) // a parent at work, no wait of the test
				return take(id, load)
			}
		})
		n := plant(t, never, p)
		n.pace.Sweep, n.pace.Answer = time.Hour, patience
		n.local.slow = func() { time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond) } // a disk at work
		n.run(t)
		n.awaitUp(t)
		const minions = 2500
		for i := 0; i < minions; {
			for range min(100+rand.IntN(300), minions-i) {
				n.local.commit(t, job(round), fmt.Sprint("web-", i))
				i++
			}
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond) // between bursts
		}
		n.local.complete(t, job(round))
		waiting.Until(t, "all returns", func() bool { return p.count() == minions && n.local.depth() == 0 })
		if n := n.rescues.Total(); n != 0 {
			t.Errorf("%d times something had to be rescued", n)
		}
		n.stop()
	}
}
