//go:build saltpeer

package interop

import (
	"slices"
	"testing"
)

// TestRollingUpgrade walks docs/guide/operate/upgrade.md: a tree of Salt 3006 becomes 3008 tier by tier,
// then ours, then 3008 again, each program in the folders of the one before. Jobs are published all
// the time, and each return is counted by job and minion.
//
// Jobs that no change affected have one return of each minion. For the others, runs without a return
// are counted by change: a Python daemon that is stopped loses its pending returns, and Salt does not
// read the ones that ours keeps on disk.
func TestRollingUpgrade(t *testing.T) {
	with8(t, func(t *testing.T, eight *peer) {
		w := newWorld(t)
		old := installed[0]
		top := w.master(old, "top", "order_masters: True")
		mid := w.lower(old, "mid", top, "order_masters: True")
		top.accept("mid")
		minions := []*node{w.minion(old, "a", mid), w.minion(old, "b", mid), w.minion(old, "c", top)}
		mid.accept("a", "b")
		top.accept("c")
		mid.joined(0, "minion", "a", "b")
		top.joined(0, "minion", "c")

		u := newUpgrade(t, top, minions...)
		u.change("all is 3006", func() {})
		for _, step := range []struct {
			what  string
			to    *peer
			nodes []*node
		}{
			// Masters first: one of protocol 2 has no session key for minions and syndics of 3008.
			{"top 3006 to 3008", eight, []*node{top}},
			{"node 3006 to 3008", eight, []*node{mid}},
			{"minions 3006 to 3008", eight, minions},
			// The node first, as docs/guide/move.md has it, and back the other way around.
			{"node 3008 to mom", nil, []*node{mid}},
			{"top 3008 to mom", nil, []*node{top}},
			{"minions 3008 to mom", nil, minions},
			{"minions mom to 3008", eight, minions},
			{"top mom to 3008", eight, []*node{top}},
			{"node mom to 3008", eight, []*node{mid}},
		} {
			u.change(step.what, func() {
				for _, n := range step.nodes {
					exchange(n, step.to)
				}
			})
		}
		u.judge()
	})
}

// exchange has a program take the place of another in a folder; nil is ours.
func exchange(n *node, to *peer) {
	n.w.t.Helper()
	n.stop()
	n.Salt = to
	switch {
	case slices.Contains(n.Kinds, "minion"):
	case !slices.Contains(n.Kinds, "syndic"):
	case to == nil:
		n.Kinds = []string{"syndic"}
	default:
		n.Kinds = []string{"master", "syndic"}
	}
	n.start()
}
