//go:build saltpeer

package interop

import (
	"testing"
	"time"
)

// TestTiers mixes masters of both over three tiers, with a minion at each.
func TestTiers(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		for _, c := range []struct {
			name          string
			top, mid, low *peer
		}{
			{"Salt, ours, Salt", p, nil, p},
			{"ours, Salt, ours", nil, p, nil},
			{"ours, ours, Salt", nil, nil, p},
		} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t)
				top := w.master(c.top, "top", "order_masters: True")
				mid := w.lower(c.mid, "mid", top, "order_masters: True")
				low := w.lower(c.low, "low", mid)
				w.minion(nil, "m1", top)
				w.minion(nil, "m2", mid)
				w.minion(p, "m3", low)
				top.accept("mid", "m1")
				mid.accept("low", "m2")
				low.accept("m3")
				top.joined(0, "syndic", "mid")
				top.joined(0, "minion", "m1")
				mid.joined(0, "syndic", "low")
				mid.joined(0, "minion", "m2")
				low.joined(0, "minion", "m3")

				mark := top.events.mark()
				r := top.salt("*", "test.ping")
				complete(t, r, 0, "m1 m2 m3")
				if c.top == nil && r.took > 8*time.Second {
					t.Errorf("took %v, want syndic_wait (5 s) and a little at most", r.took)
				}
				lastReturn(t, top, mark, r)
				if c.top != nil {
					jid := top.events.await(t, time.Second, mark, `salt/job/\d+/new`).data.String("jid")
					// Salt keeps one list of minions per syndic: over two tiers the last
					// word replaces the ones before it.
					jobCache(t, top, p, jid, "m1", "m1", "m2", "m3")
				}
				r = top.salt("m3", "cmd.run", "echo no; exit 3", "python_shell=True")
				complete(t, r, 1, "m3")
				r.want(t, "m3", "no")
				r = top.salt("m3", "state.single", "user.absent", "nobody-of-this-name")
				complete(t, r, 0, "m3")
				withoutFields("m3")(t, r)
			})
		}
	})
}
