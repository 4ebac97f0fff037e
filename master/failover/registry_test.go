package failover

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/sibling"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Guests are forgotten after a while without a connection; the node's own minions are not.
func TestLeavers_AndRestart(t *testing.T) {
	dir := t.TempDir()
	at := time.Unix(1000, 0) // far from this machine's time
	clock := func() time.Time { return at }
	h, err := openRegistry(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	_ = h.Away("guest", "node-a", true) // it has a disk
	_ = h.Away("ours", "node-b", false) // it has a disk
	h.SetBelow(sibling.Node{ID: "below", Host: "h", Port: 1, Pub: "k"})
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := openRegistry(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	if home, ok := again.GuestOf("guest"); !ok || home != "node-a" || again.Moves("ours") || again.below["below"].Port != 1 {
		t.Errorf("after a restart: %v %v", again.guests, again.below)
	}
	up := map[string]bool{"guest": true, "ours": true}
	live := func(id string) bool { return up[id] }
	if gone := h.Leavers(live); len(gone) != 0 || !h.Moves("ours") {
		t.Errorf("gone %v, guests %v", gone, h.guests)
	}
	up = map[string]bool{}
	for _, after := range []time.Duration{0, time.Second} {
		at = at.Add(after)
		if gone := h.Leavers(live); len(gone) != 0 {
			t.Errorf("%v have left after %s", gone, after)
		}
	}
	at = at.Add(2 * guestGrace)
	gone := h.Leavers(live)
	if len(gone) != 1 || gone[0] != "guest" {
		t.Errorf("have left: %v", gone)
	}
	up["ours"] = true
	if h.Leavers(live); h.Moves("ours") {
		t.Error("still away after its return")
	}
}

// Save retries what it could not write.
func TestSave_RetriesAfterAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache") // not there yet, so that nothing can be written
	h, err := openRegistry(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h.SetList(sibling.Signed{Body: []byte("signed")}, sibling.List{Parent: "top"})
	if h.Save() == nil {
		t.Fatal("saved into a missing directory")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, registryFile)); err != nil {
		t.Error(err)
	}
}

// A list changes when nodes are added, move or drain, but not when one connects.
func TestSetList_Changed(t *testing.T) {
	h, err := openRegistry(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a, b := sibling.Node{ID: "a", Host: "h", Port: 1, Pub: "k"}, sibling.Node{ID: "b", Host: "h", Port: 2, Pub: "k"}
	up, moved, drains := a, a, a
	up.Up, moved.Port, drains.Draining = true, 3, true
	for i, c := range []struct {
		parent  string
		nodes   []sibling.Node
		changed bool
	}{
		{"top", []sibling.Node{a}, true},
		{"top", []sibling.Node{a}, false},
		{"top", []sibling.Node{up}, false},
		{"top", []sibling.Node{up, b}, true},
		{"other", []sibling.Node{b}, true},
		{"top", []sibling.Node{moved, b}, true},
		{"top", []sibling.Node{drains, b}, true},
		{"top", []sibling.Node{drains}, true},
	} {
		signed := sibling.Signed{Body: []byte{byte(i)}}
		if got := h.SetList(signed, sibling.List{Parent: c.parent, Nodes: c.nodes}); got != c.changed {
			t.Errorf("step %d: changed %v", i, got)
		}
		if above, _ := h.Siblings(); len(above) == 1 && above[0].Body[0] != byte(i) {
			t.Errorf("step %d: the list is not the last one", i)
		}
	}
	for i, n := range []sibling.Node{a, a, moved, drains} {
		if got := h.SetBelow(n); got != (i != 1) {
			t.Errorf("entered %d: changed %v", i, got)
		}
	}
}
