package presence

import (
	"fmt"
	"slices"
	"testing"

	"github.com/momtree/mom/master/jobs/ledger"
)

// A node and a minion under one id and key are two: the end of one is told as its own
// and leaves the other, in whichever order they come and go, and whether or not they
// announce themselves.
func TestNodeAndMinionOfOneKey(t *testing.T) {
	for _, stock := range []bool{false, true} {
		for _, nodeFirst := range []bool{false, true} {
			for _, nodeGoes := range []bool{false, true} {
				t.Run(fmt.Sprintf("stock %t, node first %t, node goes %t", stock, nodeFirst, nodeGoes), func(t *testing.T) {
					w := newWorld(t)
					w.cfg.Asks = true
					w.cfg.Up = func(a Announcement) { w.news = append(w.news, "up "+a.Role) }
					w.cfg.Down = func(p Peer) { w.news = append(w.news, "down "+p.Role) }
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
					if w.Beside("m") != !nodeFirst {
						t.Errorf("a minion beside the node: %t", w.Beside("m"))
					}
					come[!nodeFirst]()
					if slices.Sort(w.news); !slices.Equal(w.news, []string{"up minion", "up syndic"}) {
						t.Errorf("hooks saw %q", w.news)
					}
					if live, _ := w.Node("m"); live != ledger.Up || w.Role("m") != Syndic || !w.Beside("m") {
						t.Errorf("the node is %v, a %q, a minion beside it: %t", live, w.Role("m"), w.Beside("m"))
					}
					if s := w.Minion("m"); s.Live != ledger.Up || s.Stock != stock {
						t.Errorf("the minion: %+v", s)
					}
					if conns := w.NodeConns("m"); !slices.Equal(conns, []uint64{node.id}) || len(w.Conns("m")) != 2 {
						t.Errorf("the node is on the connections %v of %v, want %d", conns, w.Conns("m"), node.id)
					}
					w.news = nil
					goes, stays, told := minion, node, "down minion"
					if nodeGoes {
						goes, stays, told = node, minion, "down syndic"
					}
					w.Closed(goes.id)
					if !slices.Equal(w.news, []string{told}) {
						t.Errorf("hooks saw %q, want %q", w.news, told)
					}
					live, _ := w.Node("m")
					if (live == ledger.Up) == nodeGoes || w.Beside("m") != nodeGoes || w.Connected() != 1 {
						t.Errorf("then the node is %v, a minion beside it: %t, connected: %d", live, w.Beside("m"), w.Connected())
					}
					w.news = nil
					w.Closed(stays.id)
					if len(w.news) != 1 || w.Connected() != 0 {
						t.Errorf("at the end hooks saw %q, connected: %d", w.news, w.Connected())
					}
				})
			}
		}
	}
}

// Both end with the key.
func TestNodeAndMinionLoseTheirKey(t *testing.T) {
	w := newWorld(t)
	w.cfg.Down = func(p Peer) { w.news = append(w.news, p.Role) }
	node, minion := w.subscribe("n"), w.subscribe("s")
	if _, err := w.Announce(Announcement{ID: "m", Session: "n", Role: Syndic, Version: "2"}); err != nil {
		t.Fatal(err)
	}
	w.announce("m", "s")
	w.news = nil
	w.Revoke("m")
	if slices.Sort(w.news); !slices.Equal(w.news, []string{Minion, Syndic}) || !node.closed || !minion.closed || w.Beside("m") {
		t.Errorf("hooks saw %q; closed: %t, %t", w.news, node.closed, minion.closed)
	}
}
