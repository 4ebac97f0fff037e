package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// The return of a job that arrived with a minion, and that nobody requested from this node, goes to
// every parent: any of them may be waiting for it.
func TestUnrequested_ReturnGoesToAllParents(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	came := func(k int, moved bool) {
		mom := wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())
		if moved {
			mom.Set("moved", true)
		}
		n.local.fire(t, job(k), wire.NewMap("minions", []any{"web-1"}, "jid", job(k), "mom", mom))
		for _, p := range []*fakeParent{a, b} {
			waiting.Until(t, "who has to answer", func() bool { return p.heard(job(k)) > 0 })
		}
	}
	n.local.own(t, job(2))
	came(1, true)
	came(2, false)
	n.local.commit(t, job(1), "web-1")
	n.local.commit(t, job(2), "web-1")
	waiting.Until(t, "the return at both", func() bool { return a.has(job(1), "web-1") == 1 && b.has(job(1), "web-1") == 1 })
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	if b.has(job(2), "web-1") != 0 {
		t.Error("return of an unrequested own job went to both parents")
	}
}

// The return is stored before the minion reports its job, or before this node gets the job, while
// the parent that requested it is down.
func TestUnrequested_StoredReturn(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	b.Down()
	waiting.Until(t, "the loss to be noticed", func() bool { return !n.parents.links[1].IsUp() })
	n.local.commit(t, job(1), "web-1")
	waiting.Until(t, "the return at the one", func() bool { return a.has(job(1), "web-1") == 1 })
	if n.local.depth() != 1 {
		t.Error("return not queued for the other parent, which may have requested it")
	}
	n.stop()
	n.revive(t) // pending rows survive a restart
	n.run(t)
	waiting.Until(t, "the one to be there, or the other would take its place", n.parents.links[0].IsUp)
	b.Up()
	waiting.Until(t, "the return at the other", func() bool { return b.has(job(1), "web-1") == 1 })
	waiting.Until(t, "an empty outbox", func() bool { return n.local.depth() == 0 })
	n.local.own(t, job(2)) // goes to the preferred parent
	n.local.commit(t, job(2), "web-1")
	waiting.Until(t, "its own return at the one", func() bool { return a.has(job(2), "web-1") == 1 && n.local.depth() == 0 })
	if b.has(job(2), "web-1") != 0 {
		t.Error("return of this node's job went to both parents")
	}
}
