package syndic

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
)

// Whatever is lost, repeated or restarted on either side, in the end the parent has each committed
// return exactly once, and nothing is pending.
func TestEveryReturnArrives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := startParent(t, channeltest.Rules{Version: rapid.SampledFrom([]int{2, 3}).Draw(rt, "version")})
		n := plant(t, nil, p)
		n.run(t)
		want := map[string]bool{}
		up := true
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"return", "return", "many", "mute", "down", "up", "restart", "complete", "keys"}).Draw(rt, "step") {
			case "return":
				j, id := job(rapid.IntRange(0, 3).Draw(rt, "job")), fmt.Sprint("web-", rapid.IntRange(0, 20).Draw(rt, "minion"))
				if !want[j+"/"+id] { // the store queues a return once
					want[j+"/"+id] = true
					n.local.commit(t, j, id)
				}
			case "many":
				j := job(rapid.IntRange(10, 12).Draw(rt, "job"))
				for i := range 40 {
					id := fmt.Sprint("db-", i)
					if !want[j+"/"+id] {
						want[j+"/"+id] = true
						n.local.commit(t, j, id)
					}
				}
			case "mute": // toggles lost acknowledgements
				p.set(func() { p.mute = !p.mute })
			case "down":
				if up {
					p.Down()
					up = false
				}
			case "up":
				if !up {
					p.Up()
					up = true
				}
			case "restart": // of the node; its outbox stays
				n.stop()
				n.revive(t)
				n.run(t)
			case "complete":
				n.local.complete(t, job(0))
			case "keys":
				if up {
					p.Rotate()
					p.ForgetSessions()
				}
			}
		}
		p.set(func() { p.mute = false })
		if !up {
			p.Up()
		}
		waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
		p.set(func() {
			if len(p.rows) != len(want) {
				rt.Errorf("%d rows at the parent, %d committed", len(p.rows), len(want))
			}
			for k := range want {
				if p.rows[k] == 0 {
					rt.Errorf("%s is missing", k)
				}
			}
		})
		if aside := n.local.setAside(); len(aside) != 0 {
			rt.Errorf("set aside: %v", aside)
		}
		n.stop()
		p.Down()
	})
}
