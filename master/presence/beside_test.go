package presence

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/master/engine"
)

// byRole records changes by role.
type byRole struct{ w *fixture }

func (r byRole) PeerUp(a Announcement) { r.w.hooks = append(r.w.hooks, "up "+a.Role) }
func (r byRole) PeerDown(p Peer)       { r.w.hooks = append(r.w.hooks, "down "+p.Role) }

// A node and a minion with one id and key are two peers: the end of one is reported for it alone,
// in any order, and whether or not they announce themselves.
func TestNodeAndMinionOfOneKey(t *testing.T) {
	for _, stock := range []bool{false, true} {
		for _, nodeFirst := range []bool{false, true} {
			for _, nodeGoes := range []bool{false, true} {
				t.Run(fmt.Sprintf("stock %t, node first %t, node goes %t", stock, nodeFirst, nodeGoes), func(t *testing.T) {
					w := newFixture(t)
					w.cfg.Asks = true
					w.Begin(byRole{w})
					var node, minion *conn
					come := map[bool]func(){
						true: func() {
							node = w.subscribe("n")
							if _, err := w.Announce(Announcement{ID: "m", Session: "n", Role: Syndic, Version: "2"}); err != nil {
								t.Fatal(err)
							}
						},
						false: func() {
							if !stock {
								minion = w.subscribe("s")
								w.announce("m", "s")
								return
							}
							w.next++
							minion = &conn{id: w.next}
							w.Opened(minion, Before{})
							w.Named(minion.id, "m")
						},
					}
					come[nodeFirst]()
					if w.HasMinion("m") != !nodeFirst || w.Announces(Syndic, "m") != nodeFirst {
						t.Errorf("there is a minion: %t, a node: %t", w.HasMinion("m"), w.Announces(Syndic, "m"))
					}
					come[!nodeFirst]()
					if slices.Sort(w.hooks); !slices.Equal(w.hooks, []string{"up minion", "up syndic"}) {
						t.Errorf("hooks saw %q", w.hooks)
					}
					if live, _ := w.Node("m"); live != engine.Up || !w.HasMinion("m") || w.Connected() != 2 {
						t.Errorf("the node is %v, there is a minion: %t, connected: %d", live, w.HasMinion("m"), w.Connected())
					}
					if s := w.Minion("m"); s.Live != engine.Up || s.Stock != stock {
						t.Errorf("the minion: %+v", s)
					}
					if of, its := w.NodeConns("m"), w.MinionConns("m"); !slices.Equal(of, []uint64{node.id}) || !slices.Equal(its, []uint64{minion.id}) {
						t.Errorf("the node is on the connections %v, want %d, the minion on %v, want %d", of, node.id, its, minion.id)
					}
					w.hooks = nil
					goes, stays, event := minion, node, "down minion"
					if nodeGoes {
						goes, stays, event = node, minion, "down syndic"
					}
					w.Closed(goes.id)
					if !slices.Equal(w.hooks, []string{event}) {
						t.Errorf("hooks saw %q, want %q", w.hooks, event)
					}
					want := map[bool]engine.Liveness{true: engine.Away, false: engine.Up}
					live, grace := w.Node("m")
					if s := w.Minion("m"); live != want[nodeGoes] || s.Live != want[!nodeGoes] || w.Connected() != 1 {
						t.Errorf("then the node is %v, the minion %+v, connected: %d", live, s, w.Connected())
					}
					if nodeGoes {
						w.at = w.at.Add(grace)
						if live, _ := w.Node("m"); live != engine.Down {
							t.Errorf("after its lease the node is %v", live)
						}
					}
					w.hooks = nil
					w.Closed(stays.id)
					if len(w.hooks) != 1 || w.Connected() != 0 {
						t.Errorf("at the end hooks saw %q, connected: %d", w.hooks, w.Connected())
					}
				})
			}
		}
	}
}

// Both end when the key is revoked.
func TestNodeAndMinion_Revoked(t *testing.T) {
	w := newFixture(t)
	w.Begin(byRole{w})
	node, minion := w.subscribe("n"), w.subscribe("s")
	if _, err := w.Announce(Announcement{ID: "m", Session: "n", Role: Syndic, Version: "2"}); err != nil {
		t.Fatal(err)
	}
	w.announce("m", "s")
	w.hooks = nil
	w.Revoke("m")
	if slices.Sort(w.hooks); !slices.Equal(w.hooks, []string{"down " + Minion, "down " + Syndic}) || !node.closed || !minion.closed || w.HasMinion("m") || w.Announces(Syndic, "m") {
		t.Errorf("hooks saw %q; closed: %t, %t", w.hooks, node.closed, minion.closed)
	}
}

// Both may announce themselves before their connection is open, and do not replace each other.
func TestNodeAndMinion_AnnouncedFirst(t *testing.T) {
	w := newFixture(t)
	for _, a := range []Announcement{{ID: "m", Session: "n", Role: Syndic}, {ID: "m", Session: "s", Role: Minion}} {
		if connected, err := w.Announce(a); connected || err != nil {
			t.Fatal(connected, err)
		}
	}
	w.subscribe("n")
	w.subscribe("s")
	if live, _ := w.Node("m"); live != engine.Up {
		t.Errorf("the node is %v", live)
	}
	if s := w.Minion("m"); s.Live != engine.Up {
		t.Errorf("the minion is %+v", s)
	}
	if _, err := w.Announce(Announcement{ID: "m", Session: "n", Role: Minion}); err == nil {
		t.Error("the minion has the session of the node")
	}
}

// Both roles are known after a restart.
func TestNodeAndMinion_Restart(t *testing.T) {
	w := newFixture(t, Peer{ID: "m", Role: Minion, Version: "1"}, Peer{ID: "m", Role: Syndic, Version: "2"})
	w.subscribe("s")
	w.announce("m", "s")
	w.at = w.at.Add(time.Minute)
	if live, _ := w.Node("m"); live != engine.Down || w.Minion("m").Live != engine.Up {
		t.Errorf("the node is %v, the minion %+v", live, w.Minion("m"))
	}
	if lost := w.Lost(); len(lost) != 1 || lost[0].Role != Syndic {
		t.Errorf("lost: %+v", lost)
	}
}
