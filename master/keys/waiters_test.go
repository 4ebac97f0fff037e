package keys

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// Pending keys are bounded, also after a restart. A new one finds no room while those
// that are kept sign in from time to time; it takes the place of the one that has not
// for the longest time, once that is an hour. It is told to wait either way. The bound
// is 3 here.
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
	d = NewDecider(s, Policy{MaxPending: 3}) // a restart: they count as seen now
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
	// Keys that autoreject_file names are not kept without bound either.
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
