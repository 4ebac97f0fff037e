//go:build saltpeer

package interop

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealMinionsBelowOurNodeOfTwoTops has minions of Salt's below a node of ours
// that is tied to two tops of ours. Each top has the returns of its own jobs once,
// whichever of the three is killed in the middle of them.
func TestRealMinionsBelowOurNodeOfTwoTops(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		tops := []*node{w.master(nil, "one", "order_masters: True"), w.master(nil, "two", "order_masters: True")}
		low := w.tied(nil, "node", tops)
		minions := []*node{w.minion(p, "m1", low), w.minion(p, "m2", low)}
		for _, top := range tops {
			top.accept("node")
		}
		low.accept("m1", "m2")
		for _, top := range tops {
			top.joined(0, "syndic", "node")
		}
		low.joined(0, "minion", "m1", "m2")

		t.Run("a job of each", func(t *testing.T) {
			for _, top := range tops {
				mark := top.events.mark()
				r := top.salt("*", "test.ping")
				complete(t, r, 0, "m1 m2")
				quick(t, top, mark, r)
			}
		})
		t.Run("salt-call", func(t *testing.T) { callBelowTwo(t, tops, low, minions...) })
		t.Run("node killed", func(t *testing.T) {
			killedBelowTwo(t, tops, low, minions...)
		})
		t.Run("top killed", func(t *testing.T) {
			killedBelowTwo(t, tops, tops[0], minions...)
		})
		t.Run("afterwards", func(t *testing.T) {
			for _, top := range tops {
				complete(t, top.salt("*", "test.ping"), 0, "m1 m2")
			}
		})
	})
}

// callBelowTwo starts a job on a minion itself: no top requested it, and one of them gets the return
// once.
func callBelowTwo(t *testing.T, tops []*node, low *node, minions ...*node) {
	mark := low.events.mark()
	marks := map[*node]int{}
	for _, top := range tops {
		marks[top] = top.events.mark()
	}
	caller := minions[0]
	if r := caller.run(caller.Salt, "salt-call", "--out=json", "test.echo", "called"); r.code != 0 || !same(r.json(t)["local"], "called") {
		t.Fatalf("exit %d\n%s", r.code, r.text())
	}
	jid := low.events.await(t, 10*time.Second, mark, `salt/job/\d+/ret/`+caller.ID).data.String("jid")
	has := func(top *node) bool { return same(top.lookup(t, jid), map[string]any{caller.ID: "called"}) }
	waiting.Within(t, 20*time.Second, "the return at a top", func() bool { return has(tops[0]) || has(tops[1]) })
	for _, top := range tops {
		settled(t, top, minions...)
	}
	n := 0
	for _, top := range tops {
		n += top.returned(marks[top], jid, caller.ID)
	}
	if n != 1 || has(tops[0]) == has(tops[1]) {
		t.Errorf("%d returns of a salt-call at both tops; at one: %t, at two: %t", n, has(tops[0]), has(tops[1]))
	}
}

// killedBelowTwo has a job of each top whose returns come while one daemon is dead, and
// one of each whose returns come when it is back.
func killedBelowTwo(t *testing.T, tops []*node, killed *node, minions ...*node) {
	type job struct {
		jid string
		top *node
	}
	var early, late []job
	marks := map[*node]int{}
	for _, top := range tops {
		marks[top] = top.events.mark()
		early = append(early, job{top.async(t, "*", "test.sleep", "8"), top})
		late = append(late, job{top.async(t, "*", "test.sleep", "45"), top})
	}
	left := func(jobs []job) (n int) {
		for _, j := range jobs {
			n += atWork(j.jid, minions)
		}
		return n
	}
	all := len(tops) * len(minions)
	waiting.Within(t, 20*time.Second, "all at work on all jobs", func() bool { return left(early) == all && left(late) == all })
	killed.crash()
	waiting.Within(t, 60*time.Second, "end of the first jobs", func() bool { return left(early) == 0 })
	if n := left(late); n != all {
		t.Fatalf("%d are at work on the second jobs when the killed one comes back: they are too short for this machine", n)
	}
	killed.start()
	for _, j := range append(early, late...) {
		hasReturns(t, j.top, j.jid, minions...)
	}
	for _, top := range tops {
		settled(t, top, minions...)
	}
	for _, j := range append(early, late...) {
		once(t, j.top, marks[j.top], j.jid, j.top != killed, minions...)
		for _, other := range tops {
			if other != j.top {
				once(t, other, marks[other], j.jid, false, minions...)
			}
		}
	}
}
