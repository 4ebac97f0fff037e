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

// Bursts of returns of one job, to a slow parent over a slow disk, are all sent without a timer:
// neither the sweep nor the batch timer fires. 2,500 returns, five full batches, four runs.
func TestBurstsOfOneJobNeedNoSweep(t *testing.T) {
	for round := range 4 {
		p := startParent(t, channeltest.Rules{})
		take := p.take
		p.Change(func(r *channeltest.Rules) {
			r.Handle["_presence"] = func(string, *wire.Map) any { return wire.NewMap("session", true, "node", "top") }
			r.Handle["_syndic_return"] = func(id string, load *wire.Map) any {
				time.Sleep(time.Duration(1+rand.IntN(8)) * time.Millisecond) // a slow parent, not a wait
				return take(id, load)
			}
		})
		n := plant(t, never, p)
		n.pace.Sweep, n.pace.Answer = time.Hour, patience
		n.local.slow = func() { time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond) } // a slow disk
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
			t.Errorf("%d rescues", n)
		}
		n.stop()
	}
}
