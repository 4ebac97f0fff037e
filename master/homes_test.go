package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// Guests are forgotten when they have been away for a while; a node's own minions
// that are elsewhere for a time are not.
func TestHomes_GuestsLeaveAndAreKeptOverARestart(t *testing.T) {
	dir := t.TempDir()
	h, err := openHomes(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.host("guest", "node-a", false)
	h.host("ours", "node-b", true)
	h.enter(sibling.Node{ID: "below", Host: "h", Port: 1, Pub: "k"})
	if err := h.save(); err != nil {
		t.Fatal(err)
	}
	again, err := openHomes(dir)
	if err != nil {
		t.Fatal(err)
	}
	if home, ok := again.guestOf("guest"); !ok || home != "node-a" || again.moves("ours") || again.below["below"].Port != 1 {
		t.Errorf("after a restart: %v %v", again.guests, again.below)
	}
	up := map[string]bool{"guest": true, "ours": true}
	live := func(id string) bool { return up[id] }
	now := time.Now()
	if gone := h.leavers(live, now); len(gone) != 0 || !h.moves("ours") {
		t.Errorf("gone %v, guests %v", gone, h.guests)
	}
	up = map[string]bool{}
	for _, after := range []time.Duration{0, time.Second} {
		if gone := h.leavers(live, now.Add(after)); len(gone) != 0 {
			t.Errorf("%v have left after %s", gone, after)
		}
	}
	gone := h.leavers(live, now.Add(2*guestGrace))
	if len(gone) != 1 || gone[0] != "guest" {
		t.Errorf("have left: %v", gone)
	}
	up["ours"] = true
	if h.leavers(live, now.Add(2*guestGrace)); h.moves("ours") {
		t.Error("ours is home again, and still counts as away")
	}
}

// A guest is not among the nodes of this master, and hears nothing of them as of
// its own siblings.
func TestSiblings_AGuestIsNotToldOthersSiblings(t *testing.T) {
	r := newRig(t)
	r.start()
	ask := func(id string) *wire.Map {
		n := r.minion(id, "syndic", "syndic")
		if id == "guest" {
			r.homes.host(id, "elsewhere", false)
		}
		d, ok := n.must(wire.NewMap("cmd", sibling.Command, "id", id, "role", "syndic", "port", 4506, "host", "h", "pub", "k")).(*wire.Map)
		if !ok {
			t.Fatalf("%s gets no answer", id)
		}
		return d
	}
	if d := ask("own"); d.Map("below") == nil {
		t.Errorf("a node of its own is told %v", plain(t, d))
	}
	if d := ask("guest"); d.Map("below") != nil {
		t.Errorf("a guest is told %v", plain(t, d))
	}
}
