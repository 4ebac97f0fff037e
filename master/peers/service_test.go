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

// Who comes and goes is told to the jobs, and is in the tree.
func TestChanges(t *testing.T) {
	w := newWorld(t)
	w.Plant()
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

// A stock minion is known once it has answered over its connection, is given what it
// missed there, and has the time to come back.
func TestStockMinion(t *testing.T) {
	w := newWorld(t)
	w.Opened(conn(7), w.p.Heard())
	w.Named(7, "m1")
	w.want("stock up m1")
	w.Closed(7)
	w.want("down m1 15s") // no longer than Salt would wait
}

// Who was there in an earlier life is known; a stock minion is asked again.
func TestList(t *testing.T) {
	w := newWorld(t)
	w.announce(1, presence.Minion, "m1")
	w.Opened(conn(2), w.p.Heard())
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
	if err := os.WriteFile(filepath.Join(w.dir, listFile), []byte("spoilt"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	if len(w.Peers()) != 0 {
		t.Errorf("of a spoilt list are known %v", w.Peers())
	}
}

// Jobs do without what is behind a node that has not come back after a start.
func TestNodeThatDoesNotComeBack(t *testing.T) {
	w := newWorld(t)
	w.announce(1, presence.Syndic, "n1")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.told = nil
	w.missLost()
	w.want()
	w.at = w.at.Add(15 * time.Second)
	w.missLost()
	w.missLost()
	w.want("node down n1")
}

// A question about a job goes over the connections that are known, and to the others by
// their ids; its answers go to the jobs.
func TestFind(t *testing.T) {
	w := newWorld(t)
	w.announce(1, presence.Minion, "m1")
	w.told = nil
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
		t.Error("the answer is not known as one")
	}
	w.want("found 20260102030405000001 m2 true")
}

// A job waits for minions as presence tells: stock ones no longer than Salt would, those
// of an earlier life while they may come back.
func TestMinions(t *testing.T) {
	w := newWorld(t)
	w.announce(1, presence.Minion, "m1")
	w.Opened(conn(2), w.p.Heard())
	w.Named(2, "here")
	w.Opened(conn(3), w.p.Heard())
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

// A restart waits for those who were connected, and not for those who were not: neither for one
// that announces itself, nor for a stock minion that every connection is known not to be of.
// What is told of long ago is not believed.
func TestWhoWasNotConnectedBefore(t *testing.T) {
	for _, c := range []struct {
		what   string
		crash  bool
		away   time.Duration // how long the master is down
		gone   bool          // who was not connected is known to be gone
		lately bool          // the master begins a moment before it ends
	}{
		{"stopped", false, time.Second, true, false},
		{"killed", true, time.Second, true, false},
		{"down for long", false, time.Hour, false, false},
		{"not sure itself", false, time.Second, false, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld(t)
			w.announce(1, presence.Minion, "dead")
			w.announce(2, presence.Minion, "alive")
			w.announce(3, presence.Syndic, "node")
			w.Opened(conn(4), w.p.Heard())
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
			old := c.away < time.Minute // what announces itself is known to be gone by its lease
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
			w.Opened(conn(5), w.p.Heard()) // somebody is back and has not said who
			if s := w.Minion("never"); s.Live == engine.Down {
				t.Errorf("it is %+v while a connection has not said whose it is", s)
			}
			w.Named(5, "stock")
			if s := w.Minion("stock"); s.Live != engine.Up {
				t.Errorf("the stock minion is back and %+v", s)
			}
		})
	}
}
