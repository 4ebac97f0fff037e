package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// A minion comes at work on a job that nobody asked this node for: each master above
// gets the return, for only one of them waits for it.
func TestReturnsOfMinionsThatCameAtWork(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, func(c *config.Syndic) { c.Local.SyndicFailover = "ordered" }, a, b)
	came := func(k int, moved bool) {
		mom := wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())
		if moved {
			mom.Set("moved", true)
		}
		n.local.fire(t, job(k), wire.NewMap("minions", []any{"web-1"}, "jid", job(k), "mom", mom))
		for _, p := range []*parent{a, b} {
			until(t, "who has to answer", func() bool { return p.heard(job(k)) > 0 })
		}
	}
	came(1, true)
	came(2, false)
	n.local.commit(t, job(1), "web-1")
	n.local.commit(t, job(2), "web-1")
	until(t, "the return at both", func() bool { return a.has(job(1), "web-1") == 1 && b.has(job(1), "web-1") == 1 })
	until(t, "nothing to be owed", func() bool { return n.local.depth() == 0 })
	if b.has(job(2), "web-1") != 0 {
		t.Error("a return that nobody is owed went to both")
	}
}
