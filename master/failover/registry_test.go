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

// Guests are forgotten when they have been away for a while; a node's own minions
// that are elsewhere for a time are not.
func TestGuestsLeaveAndAreKeptOverARestart(t *testing.T) {
	dir := t.TempDir()
	at := time.Unix(1000, 0) // far from this machine's time
	clock := func() time.Time { return at }
	h, err := openRegistry(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	_ = h.Away("guest", "node-a", true) // it has a disk
	_ = h.Away("ours", "node-b", false) // it has a disk
	h.Enter(sibling.Node{ID: "below", Host: "h", Port: 1, Pub: "k"})
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
		t.Error("ours is home again, and still counts as away")
	}
}

// What could not be written, because the disk was full, is written when it can be.
func TestSaveComesAgainAfterAFailure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache") // not there yet, so that nothing can be written
	h, err := openRegistry(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h.Hear(sibling.Told{Body: []byte("told")}, sibling.List{Parent: "top"})
	if h.Save() == nil {
		t.Fatal("nothing could be written, and no error")
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

// What peers ask for is others when nodes come, move or drain; not when one of them
// is connected or not.
func TestWhatIsNews(t *testing.T) {
	h, err := openRegistry(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	a, b := sibling.Node{ID: "a", Host: "h", Port: 1, Pub: "k"}, sibling.Node{ID: "b", Host: "h", Port: 2, Pub: "k"}
	up, moved, drains := a, a, a
	up.Up, moved.Port, drains.Draining = true, 3, true
	for i, c := range []struct {
		parent string
		nodes  []sibling.Node
		news   bool
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
		told := sibling.Told{Body: []byte{byte(i)}}
		if got := h.Hear(told, sibling.List{Parent: c.parent, Nodes: c.nodes}); got != c.news {
			t.Errorf("step %d: news %v", i, got)
		}
		if above, _ := h.Siblings(); len(above) == 1 && above[0].Body[0] != byte(i) {
			t.Errorf("step %d: the list is not the one told last", i)
		}
	}
	for i, n := range []sibling.Node{a, a, moved, drains} {
		if got := h.Enter(n); got != (i != 1) {
			t.Errorf("entered %d: news %v", i, got)
		}
	}
}
