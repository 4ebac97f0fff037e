package homes

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/sibling"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Guests are forgotten when they have been away for a while; a node's own minions
// that are elsewhere for a time are not.
func TestGuestsLeaveAndAreKeptOverARestart(t *testing.T) {
	dir := t.TempDir()
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.Host("guest", "node-a", false)
	h.Host("ours", "node-b", true)
	h.Enter(sibling.Node{ID: "below", Host: "h", Port: 1, Pub: "k"})
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if home, ok := again.GuestOf("guest"); !ok || home != "node-a" || again.Moves("ours") || again.below["below"].Port != 1 {
		t.Errorf("after a restart: %v %v", again.guests, again.below)
	}
	up := map[string]bool{"guest": true, "ours": true}
	live := func(id string) bool { return up[id] }
	now := time.Now()
	if gone := h.Leavers(live, now); len(gone) != 0 || !h.Moves("ours") {
		t.Errorf("gone %v, guests %v", gone, h.guests)
	}
	up = map[string]bool{}
	for _, after := range []time.Duration{0, time.Second} {
		if gone := h.Leavers(live, now.Add(after)); len(gone) != 0 {
			t.Errorf("%v have left after %s", gone, after)
		}
	}
	gone := h.Leavers(live, now.Add(2*guestGrace))
	if len(gone) != 1 || gone[0] != "guest" {
		t.Errorf("have left: %v", gone)
	}
	up["ours"] = true
	if h.Leavers(live, now.Add(2*guestGrace)); h.Moves("ours") {
		t.Error("ours is home again, and still counts as away")
	}
}
