package syndic

import (
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/jobevent/jobeventtest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

func missingIn(jid string) *wire.Map {
	return wire.NewMap("jid", jid, "missing", wire.NewMap("m1", wire.NewMap("reason", "Not connected", "path", "")), "nodes", wire.NewMap())
}

func closedIn(jid string, word int) *wire.Map { return wire.NewMap("jid", jid, "word", word) }

// The local master may forget a closed job only when all parents that requested it have accepted
// its reports.
func TestClosedJob_ReportedUntilAllRequestersAccept(t *testing.T) {
	a, b := startParent(t, channeltest.Rules{}), startParent(t, channeltest.Rules{})
	n := start(t, nil, a, b)
	for _, l := range n.parents.links {
		n.parents.learn(t.Context(), l, job(1), "")
	}
	tag := "salt/job/" + job(1)
	b.set(func() { b.notNow = 1 << 30 })
	n.local.fire(t, tag+"/missing", missingIn(job(1)))
	n.local.fire(t, tag+"/closed", closedIn(job(1), 7))
	waiting.Until(t, "the word at one", func() bool { return a.heard(tag+"/missing") == 1 })
	if w := n.local.lastReported(job(1)); w != 0 || b.heard(tag+"/missing") != 0 {
		t.Errorf("reported %d", w)
	}
	b.set(func() { b.notNow = 0 })
	waiting.Until(t, "the local master to be reported", func() bool { return n.local.lastReported(job(1)) == 7 })
	if b.heard(tag+"/missing") != 1 || a.heard(tag+"/closed")+b.heard(tag+"/closed") != 0 {
		t.Errorf("b got %d, the end was sent %d times", b.heard(tag+"/missing"), a.heard(tag+"/closed"))
	}
}

// A node that was killed, or lost events, reports a closed job again.
func TestClosedJob_ReportedAfterRestart(t *testing.T) {
	p := startParent(t, channeltest.Rules{})
	n := plant(t, nil, p)
	tag := "salt/job/" + job(1)
	n.parents.learn(t.Context(), n.parents.links[0], job(1), "")
	n.local.open = []bus.Event{jobeventtest.Event(t, tag+"/missing", missingIn(job(1))), jobeventtest.Event(t, tag+"/closed", closedIn(job(1), 3))}
	n.run(t)
	waiting.Until(t, "the word", func() bool { return p.heard(tag+"/missing") == 1 && n.local.lastReported(job(1)) == 3 })
}
