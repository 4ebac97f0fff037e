package master

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// A minion has moved. The node that it left misses it, and speaks first: nobody is told
// so, for the node that has it has not spoken yet.
func TestAMinionThatMovedIsNotNamedMissing(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	n1, n2 := twoNodes(r)
	n1.tell(treeOf("n1", topology.Down, "a"))
	n2.tell(treeOf("n2", topology.Up, "a"))
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	says := func(n *minion, minions []any, unreachable *wire.Map) {
		n.must(bulk("syndic/"+n.id, event(jid, wire.NewMap("minions", minions, "jid", jid,
			"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", unreachable)))))
	}
	says(n1, []any{}, wire.NewMap("a", ledger.NotConnected))
	n1.must(bulk("syndic/n1", event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "nodes", wire.NewMap(),
		"missing", wire.NewMap("a", wire.NewMap("reason", ledger.NotConnected, "path", ""))))))
	if a, _ := r.ledger.State(jid); len(a.Missing) != 0 || !a.Open() {
		t.Errorf("account %+v", a)
	}
	says(n2, []any{"a"}, wire.NewMap())
	n2.must(syndicReturn("n2", jid, "a"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 1 || d.Map("missing").Len() != 0 {
		t.Errorf("closed with %v", plain(t, d))
	}
	for _, e := range events.rest() {
		if e.Tag != "salt/job/"+jid+"/missing" {
			continue
		}
		if d, err := wire.DecodeMap(e.Data); err != nil || d.String("from") != "n1" {
			t.Errorf("told as missing: %v, %v", plain(t, d), err)
		}
	}
}

// whereNow sees a minion where it is up, and nowhere else.
func TestWhereNow(t *testing.T) {
	r := newRig(t)
	r.start()
	n1, n2 := twoNodes(r)
	node := func(id string, at topology.State, minion string, below ...topology.Node) topology.Node {
		return topology.Node{
			ID: id, Role: "syndic", State: topology.Up, Version: "test", Nodes: below,
			Minions: []topology.Minion{{ID: minion, State: at}},
		}
	}
	n1.tell(node("n1", topology.Down, "a", node("n3", topology.Up, "b", node("n5", topology.Up, "e")), node("n4", topology.Down, "b"),
		node("n6", topology.Up, "d", node("n7", topology.Down, "e"))).Map())
	n2.tell(treeOf("n2", topology.Up, "a"))
	for _, c := range []struct{ id, other, want string }{
		{"a", "n1", "n2"},
		{"a", "n2", ""},
		{"b", "n1/n4", "n1/n3"},
		{"b", "n1/n3", ""},
		{"c", "", ""},
		{"d", "n1/n6", ""},            // told to be up still where it is missed
		{"e", "n1/n6/n7", "n1/n3/n5"}, // no sibling of that one has it
		{"e", "n1/nowhere/n8", "n1/n3/n5"},
		{"b", "", "n1/n3"},
	} {
		if got, ok := r.whereNow(c.id, c.other); got != c.want || ok != (c.want != "") {
			t.Errorf("%s beside %q is at %q", c.id, c.other, got)
		}
	}
}

// After a start a node tells what is below it in the same announcement that makes it
// connected: its minions are found from then on, without another change.
func TestWhereNow_AfterAStart(t *testing.T) {
	r := newRig(t)
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen().announce()
	n.mute()
	r.restart() // which remembers who had announced itself
	n.listen().tell(treeOf("n1", topology.Up, "a"))
	eventually(t, "n1 counts as connected", func() bool { return r.policy.Up("n1") })
	if got, ok := r.whereNow("a", "n2"); !ok || got != "n1" {
		t.Errorf("a is at %q, %v", got, ok)
	}
}

// A node with 10,000 minions below one with 1,000 nodes was drained.
func BenchmarkWhereNow(b *testing.B) {
	m := &Master{tree: topology.NewTree(topology.Node{ID: "top"}, nil)}
	var err error
	if m.policy, err = ownership.Open(ownership.Options{PkiDir: b.TempDir(), SyndicDir: b.TempDir(), Cachedir: b.TempDir()}); err != nil {
		b.Fatal(err)
	}
	mid := topology.Node{ID: "mid", Role: "syndic", State: topology.Up}
	id := func(i, k int) string { return fmt.Sprintf("n%04d-m%04d", i, k) }
	for i := range 1000 {
		n := topology.Node{ID: fmt.Sprintf("n%04d", i), State: topology.Up}
		for k := range 100 {
			n.Minions = append(n.Minions, topology.Minion{ID: id(i, k), State: topology.Up})
		}
		mid.Nodes = append(mid.Nodes, n)
	}
	if err := m.tree.Report(mid, 1); err != nil {
		b.Fatal(err)
	}
	m.policy.Claims().Report(mid)
	for i := 0; b.Loop(); i++ {
		if _, ok := m.whereNow(id(i%1000, i%100), "mid/gone"); !ok {
			b.Fatal("not found")
		}
	}
}
