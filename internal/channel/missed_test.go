package channel

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func numbered(t testing.TB, epoch string, seq int64) wire.Publication {
	t.Helper()
	raw, err := wire.Encode([]any{epoch, seq})
	if err != nil {
		t.Fatal(err)
	}
	return wire.Publication{Extra: wire.NewMap(SeqField, wire.Raw(raw))}
}

func TestTail(t *testing.T) {
	var tail Tail
	note := func(epoch string, seq int64, gap bool) {
		t.Helper()
		if got := tail.Note(numbered(t, epoch, seq)); got != gap {
			t.Errorf("%s %d: gap %v", epoch, seq, got)
		}
	}
	at := func(epoch string, seq int64) {
		t.Helper()
		if h := tail.heard(); h[0] != epoch || h[1] != seq {
			t.Errorf("tail %v, want %s %d", h, epoch, seq)
		}
	}
	note("a", 7, false) // before the announcement, whose reply reports what was missed
	at("", 0)
	if tail.Answer(wire.NewMap("session", true)) || tail.Note(wire.Publication{}) {
		t.Error("a master that keeps nothing has nothing to give")
	}
	if !tail.Answer(wire.NewMap("session", true, "epoch", "a", "head", 7, "missed", 2)) {
		t.Error("two were missed")
	}
	at("", 0) // until they are fetched
	if tail.Answer(wire.NewMap("session", true, "epoch", "a", "head", 7, "missed", 0)) {
		t.Error("nothing was missed")
	}
	at("a", 7)
	note("a", 8, false)
	note("a", 8, false)
	note("a", 10, true)
	note("a", 11, true)
	at("a", 8)
	tail.set("a", 11, true)
	note("a", 12, false)
	tail.Lost()
	note("a", 14, false) // publications in between may be missed
	at("a", 12)
	tail.Answer(wire.NewMap("session", false, "epoch", "a", "head", 14, "missed", 0))
	note("a", 15, false)
	at("a", 14) // the master does not see the subscription yet
	tail.Answer(wire.NewMap("session", true, "epoch", "b", "head", 1, "missed", 0))
	at("b", 1)
	note("c", 2, true)
	tail.Filtered = true
	note("b", 9, false)
	at("b", 9)
}

func FuzzMissed(f *testing.F) {
	for _, v := range []any{
		wire.NewMap("epoch", "a", "head", 3, "more", false, "pubs", []any{[]byte{1, 0xff}, "text"}),
		wire.NewMap("epoch", "a", "head", -1, "more", true, "pubs", []any{}),
		wire.NewMap(),
		[]any{"a", 5},
		"",
	} {
		b, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := parseMissed(b); err == nil && p.more && len(p.bodies) == 0 {
			t.Error("a page without end")
		}
		if wire.Scan(b, wire.Limits{}) != nil {
			return
		}
		var tail Tail
		tail.Note(wire.Publication{Extra: wire.NewMap(SeqField, wire.Raw(b))})
		if v, err := wire.Decode(b); err == nil {
			if epoch, _, ok := ReadHeard(v); ok && len(epoch) > 64 {
				t.Error("an epoch without bound")
			}
			if m, ok := v.(*wire.Map); ok {
				tail.Answer(m)
			}
		}
	})
}
