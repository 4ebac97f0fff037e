package returnertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// The load of an extended job replaces the previous one, whatever arrives late; that of any other job stays.
func testGrowingLoads(t *testing.T, s returners.Returner) {
	load := func(jid, fun string, part int, ids ...string) returners.Load {
		kwargs := wire.NewMap()
		if part > 0 {
			kwargs.Set(returners.PartField, part)
		}
		return returners.Load{JID: jid, Raw: Encode(t, wire.NewMap("fun", fun, "tgt", ids, "tgt_type", "list", "kwargs", kwargs))}
	}
	a, b := JID(1), JID(2)
	for _, l := range []returners.Load{
		load(a, "test.ping", 0, "x"), load(a, "test.ping", 3, "x", "y", "z"), load(a, "test.ping", 2, "x", "y"), load(a, "test.ping", 0, "x"),
		load(b, "test.ping", 0, "x"), load(b, "test.other", 0, "x", "y"),
	} {
		must(t, s.SaveLoads(t.Context(), []returners.Load{l}))
	}
	for jid, want := range map[string]string{a: "[x y z] 3", b: "[x] 0"} {
		l, ok, err := s.GetLoad(t.Context(), jid)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		d, err := wire.DecodeMap(l.Raw)
		if got := fmt.Sprint(d.Strings("tgt"), l.Part()); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", jid, got, err, want)
		}
	}
}

// One call may name a minion several times: the states apply in their order.
func testOneCall(t *testing.T, s returners.Returner) {
	x := func(missing map[string]string, ids ...string) returners.Expectation {
		return returners.Expectation{JID: JID(1), Minions: ids, Missing: missing}
	}
	why := map[string]string{"a": "gone"}
	for range 2 {
		must(t, s.SaveExpectations(t.Context(), []returners.Expectation{x(nil, "a", "b"), x(why), x(nil, "a", "c"), x(map[string]string{"b": "gone"})}))
	}
	got, err := s.GetExpectations(t.Context(), JID(1))
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Minions, []string{"a", "c"}) || got[0].Missing["b"] != "gone" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A missing minion that returns has no reason any longer, in whichever order the two are stored; others keep theirs.
func testLateReturn(t *testing.T, s returners.Returner) {
	for i, jid := range []string{JID(1), JID(2)} {
		exp := returners.Expectation{JID: jid, Minions: []string{"here"}, Missing: map[string]string{"late": "Queued", "gone": "Not connected"}, At: Time(1)}
		save := []func() error{
			func() error { return s.SaveExpectations(t.Context(), []returners.Expectation{exp}) },
			func() error {
				return s.SaveReturns(t.Context(), []returners.Return{Return(t, i+1, "here", "test.ping", true), Return(t, i+1, "late", "test.ping", true)})
			},
		}
		if i == 1 {
			slices.Reverse(save)
		}
		for _, f := range save {
			must(t, f())
		}
		got, err := s.GetExpectations(t.Context(), jid)
		if err != nil || len(got) != 1 || !slices.Equal(got[0].Minions, []string{"here", "late"}) || len(got[0].Missing) != 1 || got[0].Missing["gone"] != "Not connected" {
			t.Errorf("job %d: %+v, %v", i+1, got, err)
		}
	}
}
