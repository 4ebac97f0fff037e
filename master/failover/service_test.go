package failover

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
)

func entries(t *testing.T, dirs ...string) (out []string) {
	t.Helper()
	for _, dir := range dirs {
		es, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range es {
			out = append(out, e.Name())
		}
	}
	return out
}

// A master with rehome: False has a nil service, which has no guests, accepts no voucher,
// sends nothing and writes no file.
func TestOff_NoService(t *testing.T) {
	w := &fakeMaster{keys: accepted{}, orphan: map[string]crypt.FingerSum{"m": {}}}
	o := w.options(t, "n")
	o.Config.Rehome = false
	s := open(t, o)
	if s != nil {
		t.Fatalf("it has %+v", s)
	}
	var off *State
	srv := server.New(server.Options{})
	s.Serve(srv)
	s.Run(t.Context()) // at once
	s.Announced(presence.Announcement{ID: "m", Back: true, Running: []string{"20260101000000000001"}})
	s.AdmissionsChanged([]string{"n1"})
	if off.Absent("m") || off.MayBeNode("m") != nil || s.Vouched("m", "key", []byte("voucher")) || s.KeyGone("m", crypt.FingerSum{}) || off.Close() != nil {
		t.Error("there is a guest")
	}
	if n := len(srv.Commands()); n != 0 || len(w.shown)+len(w.fired)+len(w.taken)+w.asked+w.fresh != 0 {
		t.Errorf("%d commands are served, and the master recorded %+v", n, w)
	}
	if files := entries(t, o.Config.Cachedir, o.Config.PkiDir); len(files) != 0 {
		t.Errorf("it leaves %v", files)
	}
}

// Guests accepted before the option was switched off still leave, and their keys with them.
func TestOff_FormerGuestsLeave(t *testing.T) {
	now := time.Unix(1700000000, 0)
	w := &fakeMaster{keys: accepted{"m": &newPair(t).Private.PublicKey}, down: map[string]bool{"m": true}}
	o := w.options(t, "n")
	o.Now = func() time.Time { return now }
	s := open(t, o)
	if err := s.peers.Host("m", sibling.Voucher{ID: "m", Issuer: "home"}); err != nil {
		t.Fatal(err)
	}
	if err := s.State.Close(); err != nil {
		t.Fatal(err)
	}
	o.Config.Rehome = false
	if s = open(t, o); s == nil || !s.State.Absent("m") {
		t.Fatal("the guest is one of the node's own")
	}
	srv := server.New(server.Options{})
	if s.Serve(srv); len(srv.Commands()) != 0 || s.notify(false) == 0 || w.asked != 0 {
		t.Error("peers are notified of siblings")
	}
	now = now.Add(2 * guestGrace)
	w.pending = 1
	if s.sweep(); !w.Accepted("m") || !s.State.Absent("m") {
		t.Error("forgotten before the parent has its returns")
	}
	w.pending = 0
	if s.sweep(); w.Accepted("m") || !slices.Equal(w.lost, []string{"m"}) {
		t.Errorf("its key is still accepted; jobs do without %v", w.lost)
	}
	if !s.KeyGone("m", crypt.FingerSum{}) || len(s.RevokedKeys()) != 0 {
		t.Error("a guest that went home is reported as a deleted key")
	}
	if err := s.State.Close(); err != nil {
		t.Fatal(err)
	}
	if s = open(t, o); s != nil {
		t.Errorf("left is %+v", s)
	}
	if files := entries(t, o.Config.Cachedir, o.Config.PkiDir); len(files) != 0 {
		t.Errorf("left are %v", files)
	}
}

// A master without siblings writes nothing and sends nothing.
func TestAlone_NoFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeMaster{keys: accepted{}}
		o := w.options(t, "top")
		s := open(t, o)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		s.Run(ctx)
		if files := entries(t, o.Config.Cachedir, o.Config.PkiDir); len(files) != 0 || len(w.fired)+w.asked != 0 {
			t.Errorf("it writes %v, fires %v and publishes %d times", files, w.fired, w.asked)
		}
	})
}

// The mark of draining survives a restart, is shown, and can be removed.
func TestDrain(t *testing.T) {
	w := &fakeMaster{}
	o := w.options(t, "n")
	for _, on := range []bool{true, true, false, false} {
		s := open(t, o)
		if err := s.Drain(on); err != nil || s.Draining() != on || s.Home().Draining != on || w.shown["draining"] != on {
			t.Errorf("draining %v, want %v, %v", s.Draining(), on, err)
		}
		if err := s.State.Close(); err != nil {
			t.Fatal(err)
		}
		w.shown = map[string]bool{}
		if s = open(t, o); w.shown["draining"] != on {
			t.Errorf("shown after a restart: %v", w.shown)
		}
		_ = s.State.Close()
	}
	if len(w.fired) != 4 {
		t.Errorf("fired %v", w.fired)
	}
}

// A node reports the one address it listens on, or none, and the parent uses the one it sees.
func TestHost(t *testing.T) {
	for _, c := range []struct{ iface, rehome, want string }{
		{"127.0.0.1", "", "127.0.0.1"},
		{"127.0.0.1", "node.example.org", "node.example.org"},
		{"0.0.0.0", "", ""},
		{"::", "", ""},
		{"[::]", "", ""},
	} {
		if got := host(c.rehome, c.iface); got != c.want {
			t.Errorf("interface %s, rehome_address %q: %q", c.iface, c.rehome, got)
		}
	}
}

// Unreadable revocations stop the start: revoked vouchers would be valid again.
func TestNew_UnreadableRevocations(t *testing.T) {
	o := (&fakeMaster{}).options(t, "n")
	if err := os.Mkdir(o.Config.PkiDir+"/"+revokedFile, 0o700); err != nil {
		t.Fatal(err)
	}
	var bad *fs.PathError
	if s, err := Open(StateOptions{Config: o.Config, Node: o.Node, Up: o.Presence.Up, Log: o.Log, Now: o.Now}); err == nil || s != nil || !errors.As(err, &bad) {
		t.Errorf("started: %v", err)
	}
}
