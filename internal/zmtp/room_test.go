package zmtp

import (
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

// Two sockets share the descriptors: one may use nearly all, but leaves an eighth to the other.
func TestRoom_IsShared(t *testing.T) {
	room := NewRoom(Reserve + 160)
	if room.Total() != 160 {
		t.Fatalf("room for %d", room.Total())
	}
	pub, router := room.join(nil), room.join(nil)
	fill := func(s *seat) (n int) {
		for s.take() {
			n++
		}
		return n
	}
	if n := fill(pub); n != 140 {
		t.Errorf("the first takes %d of 160", n)
	}
	if n := fill(router); n != 20 {
		t.Errorf("%d are left for the other", n)
	}
	for range 30 {
		pub.give()
	}
	if n := fill(router); n != 30 {
		t.Errorf("of 30 given back the other gets %d", n)
	}
	if NewRoom(10).Total() != 128 || NewRoom(0).Total() < 128 {
		t.Error("the least and the default")
	}
	for s := (*seat)(nil); !s.take(); {
		t.Fatal("no seat is no bound")
	}
}

// A socket rejects a connection that finds no room, and accepts again when others end.
func TestRoom_OfASocket(t *testing.T) {
	room := &Room{total: 16}
	r := newRouter(t, RouterConfig{Limits: Limits{Room: room}}, echo)
	p := newPub(t, PubConfig{Limits: Limits{Room: room}})
	var all []*rawPeer
	for range 14 {
		all = append(all, dialPeer(t, r.Addr(), 1, "REQ", ""))
	}
	waiting.Until(t, "all there", func() bool { return r.Stats().Peers == 14 })
	dialRaw(t, r.Addr()).gone(t)
	dialPeer(t, p.Addr(), 1, "SUB", "")
	dialPeer(t, p.Addr(), 1, "SUB", "")
	dialRaw(t, p.Addr()).gone(t)
	if s, q := r.Stats(), p.Stats(); s.RefusedFull != 1 || q.RefusedFull != 1 {
		t.Errorf("%d and %d refused", s.RefusedFull, q.RefusedFull)
	}
	_ = all[0].Close()
	waiting.Until(t, "one gone", func() bool { return r.Stats().Peers == 13 })
	dialPeer(t, p.Addr(), 1, "SUB", "")
}
