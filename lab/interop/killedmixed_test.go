//go:build saltpeer

package interop

import "testing"

// TestOurKilledNodeAmongReal kills a node of ours by SIGKILL in the middle of jobs,
// with masters of Salt's above it or below it.
func TestOurKilledNodeAmongReal(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		for _, c := range []struct {
			name   string
			tiers  []*peer // from the top down
			killed int     // one of the tiers
		}{
			{"Salt, ours", []*peer{p, nil}, 1},
			{"Salt, ours, Salt", []*peer{p, nil, p}, 1},
			{"ours, ours, Salt", []*peer{nil, nil, p}, 1},
			{"ours, Salt", []*peer{nil, p}, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t)
				masters := chain(w, c.tiers)
				top, low := masters[0], masters[len(masters)-1]
				m1, m2 := w.minion(p, "m1", low), w.minion(nil, "m2", masters[1])
				low.accept("m1")
				masters[1].accept("m2")
				low.joined(0, "minion", "m1")
				masters[1].joined(0, "minion", "m2")
				settled(t, top, m1, m2)
				killedAtWork(t, top, masters[c.killed], m1, m2)
			})
		}
	})
}

// chain starts masters one below the other, named t0 and so on from the top down.
func chain(w *world, tiers []*peer) (masters []*node) {
	w.t.Helper()
	for i, p := range tiers {
		id := "t" + string(rune('0'+i))
		if i == 0 {
			masters = append(masters, w.master(p, id, "order_masters: True", "loop_interval: 5"))
			continue
		}
		up := masters[i-1]
		masters = append(masters, w.lower(p, id, up, "order_masters: True"))
		up.accept(id)
		up.joined(0, "syndic", id)
	}
	return masters
}
