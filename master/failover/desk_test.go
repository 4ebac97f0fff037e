package failover

import (
	"crypto/rsa"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
)

func newPair(t *testing.T) *crypt.KeyPair {
	t.Helper()
	k, err := crypt.NewKeyPair(2048)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// accepted are keys by id.
type accepted map[string]*rsa.PublicKey

func (a accepted) PublicKey(id string) (*rsa.PublicKey, error) {
	if k := a[id]; k != nil {
		return k, nil
	}
	return nil, errors.New("no accepted key")
}

func newDesk(t *testing.T, id string, keys accepted) *Desk {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	g, err := OpenGraves(dir, id, 100, log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return &Desk{
		Homes: h, Graves: g, RoleOf: func(string) string { return "minion" }, ID: id, Pair: newPair(t), Accepted: keys, Up: func(string) bool { return true }, Admitted: func(id string) bool { return id != "minion" }, Refused: func(string, error) {}, On: true, Keys: true,
		Signing: admission.NewTurns(1), Log: log, Now: time.Now,
	}
}

func ask(t *testing.T, k *Desk, id string, more ...any) *wire.Map {
	t.Helper()
	d, err := k.Answer(id, "10.0.0.1", wire.NewMap(more...))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A top tells its nodes of each other; a minion of one is let in by the other, by
// the voucher of its home and with the key that this one has accepted.
func TestVouching(t *testing.T) {
	minion := newPair(t)
	top := newDesk(t, "top", nil)
	a, b := newDesk(t, "a", accepted{"m": &minion.Private.PublicKey}), newDesk(t, "b", accepted{})
	var told sibling.Told
	for _, k := range []*Desk{a, b} {
		below := ask(t, top, k.ID, "role", "syndic", "port", 4506, "pub", k.Pair.PublicPEM).Map("below")
		if below == nil {
			t.Fatalf("%s is told nothing of the nodes below", k.ID)
		}
		read, _, err := sibling.ReadTold([]any{below})
		if err != nil {
			t.Fatal(err)
		}
		told = read[0]
	}
	if d := ask(t, top, "b", "role", "syndic", "port", 4506, "pub", b.Pair.PublicPEM, "have_below", sibling.Sum(told)); d.Has("below") {
		t.Error("what is known is told again")
	}
	for _, k := range []*Desk{a, b} {
		if err := k.Hear(told); err != nil {
			t.Fatal(err)
		}
	}
	if err := newDesk(t, "stranger", nil).Hear(told); !errors.Is(err, sibling.ErrBad) {
		t.Errorf("a list without this node: %v", err)
	}
	if n := top.Homes.Below(); len(n) != 2 || n[0].Host != "10.0.0.1" {
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
		{"a torn one", minion.PublicPEM, v[:len(v)/2], false},
		{"the right one", minion.PublicPEM, v, true},
	} {
		if got := b.Vouched("m", c.pub, c.voucher); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	if home, ok := b.Homes.GuestOf("m"); !ok || home != "a" {
		t.Errorf("its home is %q, a guest %v", home, ok)
	}
	b.Keys = false
	if b.Vouched("m", minion.PublicPEM, v) {
		t.Error("rehome_keys is off, and a voucher counts")
	}
	// A guest stays if its home says so, and then is no guest any more.
	b.Accepted = accepted{"m": &minion.Private.PublicKey}
	turn := func(k *Desk) string { return ask(t, k, "m").String("turn") }
	for what, word := range map[string][]byte{"nothing": nil, "its voucher": v} {
		if _, err := b.Answer("m", "", wire.NewMap("stay", true, "word", word, "turn", turn(b))); !errors.Is(err, sibling.ErrBad) {
			t.Errorf("it stays by %s: %v", what, err)
		}
	}
	word := ask(t, a, "m", "transfer", "b", "turn", turn(a)).Bytes("transfer")
	was := turn(b)
	if ask(t, b, "m", "stay", true, "word", word, "turn", was); len(b.Homes.Guests()) != 0 {
		t.Errorf("guests %v", b.Homes.Guests())
	}
	// What was recorded is refused, whatever it asked for.
	for _, act := range []*wire.Map{wire.NewMap("leaves", "b", "forever", true), wire.NewMap("stay", true), wire.NewMap("transfer", "b")} {
		act.Set("turn", was)
		if _, err := b.Answer("m", "", act); !errors.Is(err, sibling.ErrBad) || b.Homes.Moves("m") {
			t.Errorf("served again: %v", err)
		}
	}
	if _, err := a.Answer("nobody", "", wire.NewMap("voucher", true)); err == nil {
		t.Error("a voucher for a key that is not accepted")
	}
}

func TestDrain(t *testing.T) {
	dir := t.TempDir()
	for _, on := range []bool{true, true, false, false} {
		if err := Drain(dir, on); err != nil || Draining(dir) != on {
			t.Errorf("draining %v, want %v, %v", Draining(dir), on, err)
		}
	}
}
