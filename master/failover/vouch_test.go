package failover

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

func ask(t *testing.T, k *Service, id string, more ...any) *wire.Map {
	t.Helper()
	d, err := k.answer(id, "10.0.0.1", wire.NewMap(more...))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A parent lists its nodes to each other; a minion of one is accepted by the other with a
// voucher of its home.
func TestVouched(t *testing.T) {
	minion := newPair(t)
	top := newService(t, "top", nil)
	a, b := newService(t, "a", accepted{"m": &minion.Private.PublicKey}), newService(t, "b", accepted{})
	var signed sibling.Signed
	for _, k := range []*Service{a, b} {
		below := ask(t, top, k.Node, "role", "syndic", "port", 4506, "pub", k.Pair.PublicPEM).Map("below")
		if below == nil {
			t.Fatalf("%s got no list of the nodes below", k.Node)
		}
		read, _, err := sibling.ReadSigned([]any{below})
		if err != nil {
			t.Fatal(err)
		}
		signed = read[0]
	}
	if d := ask(t, top, "b", "role", "syndic", "port", 4506, "pub", b.Pair.PublicPEM, "have_below", sibling.Sum(signed)); d.Has("below") {
		t.Error("an unchanged list is sent again")
	}
	for _, k := range []*Service{a, b} {
		if err := k.SetSiblings(signed); err != nil {
			t.Fatal(err)
		}
	}
	if err := newService(t, "stranger", nil).SetSiblings(signed); !errors.Is(err, sibling.ErrBad) {
		t.Errorf("a list without this node: %v", err)
	}
	if n := top.peers.Below(); len(n) != 2 || n[0].Host != "10.0.0.1" {
		t.Errorf("below are %+v", n)
	}
	raw, _ := ask(t, a, "m", "voucher", true).Get("voucher")
	v, _ := raw.([]byte)
	other := newPair(t)
	for _, c := range []struct {
		what    string
		pub     string
		voucher []byte
		want    bool
	}{
		{"another key", other.PublicPEM, v, false},
		{"no voucher", minion.PublicPEM, nil, false},
		{"a truncated voucher", minion.PublicPEM, v[:len(v)/2], false},
		{"a valid voucher", minion.PublicPEM, v, true},
	} {
		if got := b.Vouched("m", c.pub, c.voucher); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	if home, ok := b.peers.GuestOf("m"); !ok || home != "a" {
		t.Errorf("its home is %q, a guest %v", home, ok)
	}
	b.Config.RehomeKeys = false
	if b.Vouched("m", minion.PublicPEM, v) {
		t.Error("a voucher is accepted with rehome_keys off")
	}
	b.Config.RehomeKeys = true
	// A guest with a transfer from its home stays.
	b.Keys.(*fakeMaster).keys["m"] = &minion.Private.PublicKey
	turn := func(k *Service) string { return ask(t, k, "m").String("turn") }
	for what, word := range map[string][]byte{"nothing": nil, "its voucher": v} {
		if _, err := b.answer("m", "", wire.NewMap("stay", true, "word", word, "turn", turn(b))); !errors.Is(err, sibling.ErrBad) {
			t.Errorf("accepted with %s: %v", what, err)
		}
	}
	word := ask(t, a, "m", "transfer", "b", "turn", turn(a)).Bytes("transfer")
	was := turn(b)
	if ask(t, b, "m", "stay", true, "word", word, "turn", was); len(b.peers.Guests()) != 0 {
		t.Errorf("guests %v", b.peers.Guests())
	}
	// A replayed request is refused.
	for _, act := range []*wire.Map{wire.NewMap("leaves", "b", "forever", true), wire.NewMap("stay", true), wire.NewMap("transfer", "b")} {
		act.Set("turn", was)
		if _, err := b.answer("m", "", act); !errors.Is(err, sibling.ErrBad) || b.peers.Moves("m") {
			t.Errorf("replay accepted: %v", err)
		}
	}
	if _, err := a.answer("nobody", "", wire.NewMap("voucher", true)); err == nil {
		t.Error("voucher for a key that is not accepted")
	}
}
