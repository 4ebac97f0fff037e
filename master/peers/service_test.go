package peers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/topology"
)

// Changes are reported to the jobs and the tree.
func TestChanges(t *testing.T) {
	w := newFakeMaster(t)
	w.tree.SetMinion(topology.Minion{ID: "m1"})
	w.tree.SetNodeState("n1", topology.Unknown)
	w.announce(1, presence.Minion, "m1", "a", "b")
	w.want("up m1 2")
	w.announce(2, presence.Syndic, "n1")
	w.want("topology/node/up", "node up n1")
	if n := w.tree.Snapshot(); n.Minions[0].State != topology.Up || n.Nodes[0].State != topology.Up {
		t.Errorf("tree %+v", n)
	}
	w.Closed(1)
	w.want("down m1 0s")
	w.Closed(2)
	w.want("topology/node/down", "node down n1")
	if n := w.tree.Snapshot(); n.Minions[0].State != topology.Down || n.Nodes[0].State != topology.Down {
		t.Errorf("tree %+v", n)
	}
}

// A stock minion is known once it has answered over its connection, and has time to come back.
func TestStock(t *testing.T) {
	w := newFakeMaster(t)
	w.Opened(conn(7), w.o.Publications.Heard())
	w.Named(7, "m1")
	w.want("stock up m1")
	w.Closed(7)
	w.want("down m1 15s") // no longer than Salt would wait
}

// Peers that announced themselves are known after a restart; a stock minion is asked again.
func TestList(t *testing.T) {
	w := newFakeMaster(t)
	w.announce(1, presence.Minion, "m1")
	w.Opened(conn(2), w.o.Publications.Heard())
	w.Named(2, "m2")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	if live, _ := w.Announced("m1"); live != engine.Away {
		t.Errorf("m1 is %v", live)
	}
	if !w.Announces(presence.Minion, "m1") || w.Announces(presence.Minion, "m2") || len(w.Peers()) != 1 {
		t.Errorf("known are %v", w.Peers())
	}
	if !w.WasStock("m2", 0) || w.WasStock("m1", 0) || !w.HasMinion("m2") {
		t.Error("it is not known that m2 was connected as a stock minion")
	}
	w.at = w.at.Add(2 * listAge)
	w.open()
	if !w.WasStock("m2", 0) || w.HasMinion("m2") {
		t.Error("long after the end, m2 must be known as one that was connected, and not as present")
	}
	if err := os.WriteFile(filepath.Join(w.dir, listFile), []byte("spoilt"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	if len(w.Peers()) != 0 {
		t.Errorf("a damaged list gives %v", w.Peers())
	}
}

// Jobs stop waiting for a node that did not come back after a start.
func TestMissLost(t *testing.T) {
	w := newFakeMaster(t)
	w.announce(1, presence.Syndic, "n1")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.calls = nil
	w.missLost()
	w.want()
	w.at = w.at.Add(15 * time.Second)
	w.missLost()
	w.missLost()
	w.want("node down n1")
}

// find_job goes over known connections, and to the other minions by id; answers go to the jobs.
func TestFind(t *testing.T) {
	w := newFakeMaster(t)
	w.announce(1, presence.Minion, "m1")
	w.calls = nil
	var probe string
	w.sure = func(jid string) { probe = jid }
	w.ask("20260102030405000001", []string{"m1", "m2", "m3"})
	if want := []string{"glob * to 1", "list [m2 m3] to all under 3 topics"}; !slices.Equal(w.sent, want) {
		t.Errorf("sent %q", w.sent)
	}
	value, err := wire.Encode(wire.NewMap("pid", 1))
	if err != nil {
		t.Fatal(err)
	}
	if !w.Probed(probe) || !w.Answered(probe, "m2", value, 3) || w.Answered("20260102030405000001", "m2", value, 3) {
		t.Error("the answer is not recognized")
	}
	w.want("found 20260102030405000001 m2 true")
}

// A resource runs what its managing minion announced.
func TestRuns(t *testing.T) {
	w := newFakeMaster(t)
	w.o.Manager = func(id string) string { return map[string]string{"res": "m1"}[id] }
	w.announce(1, presence.Minion, "m1", "a")
	for _, id := range []string{"m1", "res"} {
		if !w.Runs(id, "a") || w.Runs(id, "b") {
			t.Errorf("%s runs a: %v, b: %v", id, w.Runs(id, "a"), w.Runs(id, "b"))
		}
	}
	if w.Runs("other", "a") {
		t.Error("a minion that never connected runs a job")
	}
}

// A job waits for stock minions no longer than Salt would, and for those known before a restart
// while they may come back.
func TestMinions(t *testing.T) {
	w := newFakeMaster(t)
	w.announce(1, presence.Minion, "m1")
	w.Opened(conn(2), w.o.Publications.Heard())
	w.Named(2, "here")
	w.Opened(conn(3), w.o.Publications.Heard())
	w.Named(3, "left")
	w.Closed(3)
	got := w.Minions([]string{"m1", "here", "left", "never"}, w.Awaits)
	want := []engine.Minion{
		{ID: "m1", Live: engine.Up},
		{ID: "here", Live: engine.Untracked},
		{ID: "left", Live: engine.Away, Grace: 15 * time.Second},
		{ID: "never", Live: engine.Untracked, Doubt: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// After a restart jobs wait for minions that were connected, but not for others, whether they
// announce themselves or are stock minions. An old list proves nothing.
func TestOpen_NotConnectedBefore(t *testing.T) {
	for _, c := range []struct {
		what   string
		crash  bool
		away   time.Duration // how long the master is down
		gone   bool          // minions that were not connected are known to be gone
		lately bool          // the master starts a moment before it ends
	}{
		{"stopped", false, time.Second, true, false},
		{"killed", true, time.Second, true, false},
		{"down for long", false, time.Hour, false, false},
		{"not sure itself", false, time.Second, false, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newFakeMaster(t)
			w.announce(1, presence.Minion, "dead")
			w.announce(2, presence.Minion, "alive")
			w.announce(3, presence.Syndic, "node")
			w.Opened(conn(4), w.o.Publications.Heard())
			w.Named(4, "stock")
			w.Closed(1)
			w.Closed(3)
			w.at = w.at.Add(30 * time.Second)
			if c.lately {
				w.at = w.at.Add(-10 * time.Second)
			}
			if c.crash {
				if err := w.save(false); err != nil {
					t.Fatal(err)
				}
			} else {
				w.Freeze()
				w.Closed(2) // the ports close first
				w.Closed(4)
				w.at = w.at.Add(10 * time.Second)
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			w.at = w.at.Add(c.away)
			w.open()
			if live, _ := w.Announced("alive"); live != engine.Away {
				t.Errorf("alive is %v", live)
			}
			if s := w.Minion("stock"); s.Live != engine.Untracked || !s.Doubt {
				t.Errorf("the stock minion is %+v", s)
			}
			if certain, again := w.Gone("stock"); certain || again == 0 {
				t.Errorf("the stock minion is gone: %t, again in %s", certain, again)
			}
			want := map[bool]engine.Liveness{true: engine.Down, false: engine.Away}
			old := c.away < time.Minute // for those that announce themselves, the lease is proof
			if live, _ := w.Announced("dead"); live != want[old] {
				t.Errorf("dead is %v", live)
			}
			if live, _ := w.Node("node"); live != want[old] {
				t.Errorf("the node is %v", live)
			}
			if s := w.Minion("never"); (s.Live == engine.Down) != c.gone {
				t.Errorf("a stock minion that was not connected is %+v", s)
			}
			if certain, _ := w.Gone("never"); certain != c.gone {
				t.Errorf("it is gone: %t", certain)
			}
			w.Opened(conn(5), w.o.Publications.Heard()) // an unnamed connection
			if s := w.Minion("never"); s.Live == engine.Down {
				t.Errorf("it is %+v while a connection is unnamed", s)
			}
			w.Named(5, "stock")
			if s := w.Minion("stock"); s.Live != engine.Up {
				t.Errorf("the stock minion is back and %+v", s)
			}
		})
	}
}
