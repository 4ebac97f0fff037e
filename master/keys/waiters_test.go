package keys

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// The number of pending keys is limited, also after a restart. A new key finds no room while the
// stored ones keep signing in. It replaces the one that has not signed in for the longest time,
// once that is an hour. Its minion waits either way. The limit is 3 here.
func TestDecide_PendingKeysAreBounded(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	s := openStore(t, Options{Now: func() time.Time { return now }})
	pub := goldenText(t, "minion")
	var d *Decider
	signIn := func(i int) Verdict {
		return d.Decide(context.Background(), Auth{Version: 3, ID: fmt.Sprintf("m%d", i), Pub: pub, Nonce: "n"})
	}
	d = NewDecider(s, Policy{MaxPending: 3})
	for i := range 3 {
		if v := signIn(i); v.Outcome != Waiting || v.Turned != NotTurned {
			t.Fatalf("%d: %+v", i, v)
		}
	}
	d = NewDecider(s, Policy{MaxPending: 3}) // after a restart they count as seen now
	for i := range 100 {
		if v := signIn(10 + i); v.Outcome != Waiting || v.Turned != PendingFull || v.Event() != nil {
			t.Fatalf("beyond the bound: %+v", v)
		}
	}
	now = now.Add(unseenFor)
	signIn(0)
	if v := signIn(3); v.Outcome != Waiting || v.Turned != NotTurned || v.Dropped != "m1" && v.Dropped != "m2" {
		t.Errorf("one that was not seen for an hour did not make room: %+v", v)
	}
	if n := s.Len(Pending); n != 3 || !s.Has(Pending, "m0") || !s.Has(Pending, "m3") {
		t.Errorf("pending: %v", s.List(Pending))
	}
	if _, err := s.Accept("m0"); err != nil {
		t.Fatal(err)
	}
	if v := signIn(4); v.Outcome != Waiting || v.Turned != NotTurned || v.Dropped != "" {
		t.Errorf("an acceptance makes room: %+v", v)
	}
	if v := signIn(0); v.Outcome != Admitted {
		t.Errorf("%+v", v)
	}
	// Keys that match autoreject_file are limited, too.
	d = NewDecider(s, Policy{MaxPending: 2, AutorejectFile: signingFileWith(t, "r*\n")})
	for i := range 5 {
		v := d.Decide(context.Background(), Auth{Version: 3, ID: fmt.Sprintf("r%d", i), Pub: pub, Nonce: "n"})
		if v.Outcome != Refused || v.Turned != Barred {
			t.Errorf("%+v", v)
		}
	}
	if n := s.Len(Rejected); n != 2 {
		t.Errorf("%d rejected keys", n)
	}
}

// A flood from one source leaves room for others: a source holds three quarters at most. When
// several floods have filled all, a new minion at another address immediately replaces a key of the
// largest source. Accepted, denied and rejected keys are never touched. 400 places, floods of 5,000
// keys.
func TestDecide_AFloodLeavesRoom(t *testing.T) {
	const places = 400
	now := time.Unix(1_000_000, 0)
	s := openStore(t, Options{Now: func() time.Time { return now }})
	pub, other := goldenText(t, "minion"), goldenText(t, "minion2")
	d := NewDecider(s, Policy{MaxPending: places, Log: quiet})
	at := func(addr string) netip.Prefix { return netip.PrefixFrom(netip.MustParseAddr(addr), 32) }
	signIn := func(id, addr, key string) Verdict {
		return d.Decide(context.Background(), Auth{Version: 3, ID: id, Pub: key, Nonce: "n", From: at(addr)})
	}
	kept := func(v Verdict) bool { return v.Outcome == Waiting && v.Turned == NotTurned }
	flood := func(name, addr string, n int) (took int) {
		for i := range n {
			if kept(signIn(fmt.Sprintf("%s-%d", name, i), addr, pub)) {
				took++
			}
		}
		return took
	}
	if v := signIn("first", "192.0.2.1", pub); !kept(v) {
		t.Fatalf("%+v", v)
	}
	if n := flood("one", "203.0.113.1", 5000); n != places-places/4 {
		t.Errorf("one source holds %d of %d places", n, places)
	}
	for i := range 50 { // they find room during the flood
		if v := signIn(fmt.Sprintf("site-%d", i), "192.0.2.7", pub); !kept(v) || v.Dropped != "" {
			t.Fatalf("%d: %+v", i, v)
		}
		flood("more", "203.0.113.1", 10)
	}
	flood("two", "203.0.113.2", 5000)
	if n := s.Len(Pending); n != places {
		t.Errorf("%d keys are pending, want %d", n, places)
	}
	v := signIn("late", "192.0.2.99", pub)
	if !kept(v) || !strings.HasPrefix(v.Dropped, "one-") {
		t.Errorf("a new minion in a full queue: %+v", v)
	}
	for _, id := range append([]string{"first", "late"}, "site-0", "site-49") {
		if !s.Has(Pending, id) {
			t.Errorf("%s has made room for a flood", id)
		}
	}
	// An operator may have seen the evicted key: no other key gets its id.
	if v := signIn(v.Dropped, "203.0.113.9", other); kept(v) || s.Has(Pending, v.Dropped) {
		t.Errorf("another key under that id: %+v", v)
	}
	// A key keeps its source: a stranger that signs in with the public key of others does not make
	// it one of the many that are evicted first.
	for i := range 50 {
		signIn(fmt.Sprintf("site-%d", i), "203.0.113.1", pub)
	}
	if from := d.waiters.from["site-0"]; from != at("192.0.2.7") {
		t.Errorf("site-0 counts for %s", from)
	}
	for i := range 20 {
		if v := signIn(fmt.Sprintf("last-%d", i), "192.0.2.100", pub); !kept(v) || strings.HasPrefix(v.Dropped, "site-") {
			t.Fatalf("%d: %+v", i, v)
		}
	}
	// Keys removed or accepted by an operator make room.
	if _, err := s.AcceptIn(Selection{Pending: {"first"}}); err != nil {
		t.Fatal(err)
	}
	if v := signIn("after", "192.0.2.200", pub); !kept(v) || v.Dropped != "" || !s.Has(Accepted, "first") {
		t.Errorf("after an acceptance: %+v", v)
	}
}

// New keys of one source arrive at a limited rate: 1,000, then 10 a second.
func TestDecide_RateOfNewKeys(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	w := newWaiters(1_000_000, nil, now)
	a, b := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("2001:db8::/64")
	took := func(from netip.Prefix, name string) (n int) {
		for i := range 1500 {
			if _, err := w.place(fmt.Sprint(name, i), keySum{}, from, now); err == nil {
				n++
			}
		}
		return n
	}
	if n, m := took(a, "a"), took(b, "b"); n != newKeys || m != newKeys {
		t.Errorf("%d and %d at once", n, m)
	}
	now = now.Add(7 * time.Second)
	if n := took(a, "c"); n != 7*newKeysPerSecond {
		t.Errorf("%d in 7 s", n)
	}
}

// If all sources hold equally many keys, a new one replaces a key that was silent for five minutes:
// active ones do not evict each other.
func TestDecide_EqualSourcesStay(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	w := newWaiters(3, nil, now)
	from := func(i int) netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32) }
	for i := range 3 {
		if _, err := w.place(fmt.Sprint(i), keySum{}, from(i), now); err != nil {
			t.Fatal(err)
		}
	}
	if drop, err := w.place("new", keySum{}, from(9), now); err == nil {
		t.Errorf("%s made room", drop)
	}
	now = now.Add(quietFor)
	w.seen("0", from(0), now)
	w.seen("2", from(2), now)
	if drop, err := w.place("new", keySum{}, from(9), now); err != nil || drop != "1" {
		t.Errorf("%q made room: %v", drop, err)
	}
}
