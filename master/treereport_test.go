package master

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// report announces presence with additional fields and returns the answer.
func (m *minion) report(tree *topology.Node, more ...any) *wire.Map {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p := channel.Presence{Version: "test", More: wire.NewMap(more...)}
	if tree != nil {
		p.Tree = tree.Map()
	}
	reply, _, err := m.Announce(ctx, p)
	if err != nil {
		m.t.Fatal(err)
	}
	return reply
}

func TestTreeByDifferences(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "minion").listen().announce()
	below := topology.NewTree(topology.Node{ID: "n1", Role: "syndic"}, nil)
	below.SetMinion(topology.Minion{ID: "web", State: topology.Up})
	whole, at := below.Whole()
	life := below.Life()
	reply := node.report(&whole, "life", life, "revision", at, "now", time.Now().Add(time.Minute).UnixNano())
	if got, _ := reply.Get("tree"); got != int64(at) {
		t.Errorf("the master has revision %v, want %d", got, at)
	}
	if a := topology.AncestorsFrom(reply, "above"); len(a) != 1 || a[0].ID != "top" || a[0].Life != r.Master.tree.Life() || a[0].Key == "" {
		t.Errorf("above: %+v", a)
	}
	if n, _ := r.Master.tree.Node("n1"); n.Vitals.Skew < 50*time.Second || n.Vitals.Skew > 70*time.Second {
		t.Errorf("skew %s", n.Vitals.Skew)
	}
	if !r.policy.Claims().Has("n1", "web") {
		t.Error("web is not its own")
	}
	below.Remove("web")
	below.SetMinion(topology.Minion{ID: "db", State: topology.Up})
	below.SetNode(topology.Node{ID: "n2", State: topology.Up, Minions: []topology.Minion{{ID: "deep", State: topology.Up}}})
	d, _ := below.Changes(at)
	reply = node.report(nil, "life", life, "delta", d.Map())
	if got, _ := reply.Get("tree"); got != int64(d.To) {
		t.Errorf("the master has revision %v, want %d", got, d.To)
	}
	n, _ := r.Master.tree.Node("n1")
	if len(n.Minions) != 1 || n.Minions[0].ID != "db" || len(n.Nodes) != 1 || n.State != topology.Up {
		t.Errorf("tree %+v", n)
	}
	below.SetMinion(topology.Minion{ID: "db", State: topology.Down})
	below.SetMinion(topology.Minion{ID: "new", State: topology.Up})
	e, _ := below.Changes(d.To)
	node.report(nil, "life", life, "delta", e.Map())
	if r.policy.Claims().Has("n1", "web") || !r.policy.Claims().Has("n1", "db") || !r.policy.Claims().Has("n1", "deep") || !r.policy.Claims().Has("n1", "new") {
		t.Error("the owners do not follow the difference")
	}
	if _, up := r.policy.Claims().Elsewhere("db", func(string) bool { return true }); up {
		t.Error("db counts as connected")
	}
	// The same delta again does not fit, and the answer contains the master's version.
	reply = node.report(nil, "life", life, "delta", d.Map())
	if got, _ := reply.Get("tree"); got != int64(e.To) {
		t.Errorf("the master has revision %v, want %d", got, e.To)
	}
}

func TestNodeAboveIsRefusedBelow(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "minion").listen()
	whole := topology.Node{ID: "n1", Life: "x", Nodes: []topology.Node{{ID: "top", Life: r.Master.tree.Life()}}}
	if reply := node.report(&whole, "life", "x", "revision", int64(5)); !reply.Bool("loop") || reply.Bool("session") {
		t.Errorf("answer %v", plain(t, reply))
	}
	if problems := r.Snapshot().Problems; len(problems) != 1 || problems[0].Kind != topology.Loop {
		t.Errorf("problems %+v", problems)
	}
	whole.Nodes = nil
	if reply := node.report(&whole, "life", "x", "revision", int64(6)); reply.Bool("loop") || len(r.Snapshot().Problems) != 0 {
		t.Errorf("healed: %v, %+v", plain(t, reply), r.Snapshot().Problems)
	}
}

// Each event of a node is fired once under its own name, with the path as seen from here. Minions
// cannot forge one.
func TestNodeEvents(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	events := r.events()
	forger := r.minion("m1", "minion", "minion2").listen().announce()
	node := r.minion("n1", "syndic", "minion").listen().announce()
	if d := events.take(treewatch.NodeUp); d.String("path") != "n1" || d.String("id") != "n1" || d.String("time") == "" {
		t.Errorf("up: %v", plain(t, d))
	}
	node.announce() // a report is not an event
	_, _ = forger.send(bulk(nil, event("topology/node/down", wire.NewMap("id", "n1", "path", "n1"))))
	_, _ = forger.send(wire.NewMap("cmd", "_minion_event", "id", "m1", "tag", "topology/node/down", "data", wire.NewMap()))
	node.must(bulk("syndic/n1", event("topology/node/rehomed", wire.NewMap("id", "n3", "path", "b/n3", "from", "a/n3", "to", "b/n3"))))
	if d := events.take(treewatch.NodeRehomed); d.String("path") != "n1/b/n3" || d.String("from") != "n1/a/n3" || d.String("to") != "n1/b/n3" {
		t.Errorf("rehomed: %v", plain(t, d))
	}
	node.mute()
	if d := events.take(treewatch.NodeDown); d.String("path") != "n1" {
		t.Errorf("down: %v", plain(t, d))
	}
	for _, e := range events.rest() {
		if strings.HasPrefix(e.Tag, "topology/node/") {
			t.Errorf("once more: %s", e.Tag)
		}
	}
}

func TestNodesThatMoveAndDegrade(t *testing.T) {
	r := newRig(t)
	r.start()
	events := r.events()
	is := func(tag, path string) func(bus.Event) bool {
		return func(e bus.Event) bool {
			d, err := wire.DecodeMap(e.Data)
			return err == nil && e.Tag == tag && d.String("path") == path
		}
	}
	up := func(id string, below ...topology.Node) topology.Node {
		return topology.Node{ID: id, State: topology.Up, Life: "life of " + id, Nodes: below}
	}
	r.Master.tree.SetNode(up("a", up("x"), up("y")))
	r.Master.tree.SetNode(up("b"))
	old := up("c")
	old.Vitals.Pending, old.Vitals.PendingAge = 7, time.Hour
	r.Master.tree.SetNode(old)
	if d := events.find("the backlog of c", is(treewatch.NodeDegraded, "c")); d.String("kind") != string(topology.Backlog) {
		t.Errorf("degraded: %v", plain(t, d))
	}
	r.Master.tree.SetNode(up("a", up("y")))
	r.Master.tree.SetNode(up("b", up("x")))
	d := events.find("the move of x", is(treewatch.NodeRehomed, "b/x"))
	if d.String("from") != "a/x" || d.String("to") != "b/x" {
		t.Errorf("rehomed: %v", plain(t, d))
	}
}

func TestFigures(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("m1", "minion", "minion").listen().announce()
	r.minion("n1", "syndic", "minion2").listen().announce()
	v := r.vitals().Read(r.ctx, r.now())
	if v.Accepted != 1 || v.Connected != 1 || v.Addr == "" || v.Started.IsZero() || v.Jobs != 0 {
		t.Errorf("%+v", v)
	}
	r.say(testJob("m1", "glob"))
	if v := r.vitals().Read(r.ctx, r.now()); v.Jobs != 1 || v.Working != 1 {
		t.Errorf("%+v", v)
	}
}
