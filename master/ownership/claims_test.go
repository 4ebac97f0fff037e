package ownership

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/topology"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestClaims(t *testing.T) {
	o, err := OpenClaims(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node := func(id string, ms ...topology.Minion) topology.Node {
		return topology.Node{ID: id, State: topology.Up, Minions: ms}
	}
	up := topology.Minion{ID: "a", State: topology.Up}
	down := topology.Minion{ID: "a", State: topology.Down}
	live := func(string) bool { return true }
	o.Report(node("n1", up))
	o.Report(node("n2", up)) // a minion of two masters
	if !o.Has("n1", "a") || !o.Has("n2", "a") {
		t.Error("both have it")
	}
	o.Report(node("n1", down))
	if other, ok := o.Elsewhere("a", live); !ok || other != "n2" {
		t.Errorf("connected to %q", other)
	}
	o.Report(node("n1"))
	if o.Has("n1", "a") || !o.Has("n2", "a") || len(o.more) != 0 {
		t.Errorf("left %v %v", o.first, o.more)
	}
	deep := node("n1", topology.Minion{ID: "b", State: topology.Up})
	deep.Nodes = []topology.Node{{ID: "n3", State: topology.Down, Minions: []topology.Minion{{ID: "c", State: topology.Up}}}}
	o.Report(deep)
	if _, ok := o.Elsewhere("c", live); ok || !o.Has("n1", "c") || !o.HasNode("n1", "n3") {
		t.Error("connected below a node that is down")
	}
	late := node("n4", topology.Minion{ID: "e", State: topology.Up})
	late.State = topology.Down // its first report precedes its connection
	o.Report(late)
	late.Minions = append(late.Minions, topology.Minion{ID: "f", State: topology.Up})
	o.Change(late, topology.Delta{Parts: []topology.Part{{Minions: late.Minions[1:]}}})
	for _, id := range []string{"e", "f"} {
		if got := o.Connected(id); len(got) != 1 || got[0] != "n4" {
			t.Errorf("%s is connected to %v", id, got)
		}
	}
	o.Forget("n4")
	o.Forget("n2")
	o.Forget("n1")
	if len(o.first) != 0 || len(o.ids) != 0 {
		t.Errorf("left %v", o.first)
	}
}

// A node that comes back without minions that have moved may have returns of theirs.
func TestClaims_Had(t *testing.T) {
	dir := t.TempDir()
	o, err := OpenClaims(dir)
	if err != nil {
		t.Fatal(err)
	}
	has := func(id string, minions ...string) topology.Node {
		n := topology.Node{ID: id, State: topology.Up}
		for _, m := range minions {
			n.Minions = append(n.Minions, topology.Minion{ID: m, State: topology.Up})
		}
		return n
	}
	below := has("n1", "a", "b")
	below.Nodes = []topology.Node{has("n3", "c")}
	o.Report(below)
	o.Report(has("n1", "b"))
	o.Report(has("n2", "a", "c"))
	check := func(o *Claims, node, id string, want bool) {
		t.Helper()
		if got := o.Had(node, id); got != want {
			t.Errorf("%s had %s: %v", node, id, got)
		}
	}
	check(o, "n1", "a", true)
	check(o, "n1", "c", true)
	check(o, "n1", "b", false) // it still has it
	check(o, "n2", "a", false)
	check(o, "n3", "c", false) // not a child node
	if err := o.Save(); err != nil {
		t.Fatal(err)
	}
	if o, err = OpenClaims(dir); err != nil {
		t.Fatal(err)
	}
	check(o, "n1", "a", true)
	if !o.Has("n1", "b") || len(o.ids) != 2 {
		t.Errorf("read %v", o.ids)
	}
	pending := true
	for range 3 {
		o.Sweep(func(string) bool { return pending })
	}
	check(o, "n1", "a", true)
	pending = false
	o.Sweep(func(string) bool { return pending })
	check(o, "n1", "c", true) // a return may be committed after its last report
	o.Sweep(func(string) bool { return pending })
	check(o, "n1", "c", false)
	o.renew(has("n1"), map[string]bool{"b": true})
	check(o, "n1", "b", true)
	o.Forget("n1") // its key was deleted
	check(o, "n1", "b", false)
	if o.former.wire() != nil {
		t.Error("ids remain")
	}
}

// A node may deliver returns of a minion that it never reported, if the node that now reports the minion says that
// it was there, or below the node above: this master heard nothing meanwhile. The nodes n2 and n4, which is
// below n3, are named; what n2 itself says counts for its own minions only.
func TestClaims_HadUnheard(t *testing.T) {
	dir := t.TempDir()
	o, err := OpenClaims(dir)
	if err != nil {
		t.Fatal(err)
	}
	minion := func(id string) []topology.Minion { return []topology.Minion{{ID: id, State: topology.Up}} }
	o.Report(topology.Node{ID: "n2", Minions: minion("z"), Was: []topology.Was{{ID: "deep", Nodes: []string{"n2"}}, {ID: "direct", Nodes: []string{"n3"}}}})
	o.Report(topology.Node{ID: "n3", Nodes: []topology.Node{{ID: "n4"}}})
	o.Report(topology.Node{
		ID: "n1", Minions: minion("direct"), Was: []topology.Was{{ID: "c", Nodes: []string{"n2", "n1", "unknown"}}, {ID: "direct", Nodes: []string{"n4"}}},
		Nodes: []topology.Node{{ID: "c", Minions: minion("below"), Nodes: []topology.Node{{ID: "d", Minions: minion("deep")}}}},
	})
	check := func(o *Claims) {
		t.Helper()
		for _, x := range []struct {
			node, id string
			want     bool
		}{
			{"n2", "below", true},
			{"n2", "deep", true},
			{"n2", "direct", false},
			{"n3", "direct", true},
			{"n3", "deep", false},
			{"n1", "below", false},
			{"n2", "c", false},
			{"n4", "direct", false},
			{"unknown", "deep", false},
		} {
			if got := o.Had(x.node, x.id); got != x.want {
				t.Errorf("%s had %s: %v", x.node, x.id, got)
			}
		}
	}
	check(o)
	if err := o.Save(); err != nil {
		t.Fatal(err)
	}
	if o, err = OpenClaims(dir); err != nil {
		t.Fatal(err)
	}
	check(o)
}

// Save retries what it could not write.
func TestClaims_SaveRetries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache") // not there yet, so that nothing can be written
	o, err := OpenClaims(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Report(topology.Node{ID: "n", Minions: []topology.Minion{{ID: "m", State: topology.Up}}})
	if o.Save() == nil {
		t.Fatal("saved into a missing directory")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := o.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenClaims(dir)
	if err != nil || !again.Has("n", "m") {
		t.Errorf("read back: %v, %v", again.Of("n"), err)
	}
}
