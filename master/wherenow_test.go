package master

import (
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

// A minion has moved. Its former node reports it missing first. That report is not forwarded,
// because the new node has not reported yet.
func TestAMinionThatMovedIsNotNamedMissing(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Down, "a"))
	n2.announceTree(treeOf("n2", topology.Up, "a"))
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	says := func(n *minion, minions []any, unreachable *wire.Map) {
		n.must(bulk("syndic/"+n.id, event(jid, wire.NewMap("minions", minions, "jid", jid,
			"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", unreachable)))))
	}
	says(n1, []any{}, wire.NewMap("a", engine.NotConnected))
	n1.must(bulk("syndic/n1", event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "nodes", wire.NewMap(),
		"missing", wire.NewMap("a", wire.NewMap("reason", engine.NotConnected, "path", ""))))))
	if a, _ := r.jobs.State(jid); len(a.Missing) != 0 || !a.Open() {
		t.Errorf("account %+v", a)
	}
	says(n2, []any{"a"}, wire.NewMap())
	n2.must(syndicReturn("n2", jid, "a"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 1 || d.Map("absent").Len() != 0 {
		t.Errorf("closed with %v", plain(t, d))
	}
	for _, e := range events.rest() {
		if e.Tag != "salt/job/"+jid+"/missing" {
			continue
		}
		if d, err := wire.DecodeMap(e.Data); err != nil || d.String("from") != "n1" {
			t.Errorf("reported as missing: %v, %v", plain(t, d), err)
		}
	}
}

// After a start, the announcement of a node contains its minions. They are found from then on,
// without another report.
func TestWhereNow_AfterAStart(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen().announce()
	n.mute()
	r.restart() // it remembers announced peers
	n.listen().announceTree(treeOf("n1", topology.Up, "a"))
	eventually(t, "n1 counts as connected", func() bool { return r.policy.Up("n1") })
	if got, ok := r.policy.WhereNow("a", "n2"); !ok || got != "n1" {
		t.Errorf("a is at %q, %v", got, ok)
	}
}
