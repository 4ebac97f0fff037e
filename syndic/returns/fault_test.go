package returns

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/memory"
)

// shelf is an outbox and job store in memory.
type shelf struct {
	*memory.Store
	n     int
	aside map[int64]string
}

func newShelf(now func() time.Time) *shelf {
	return &shelf{Store: memory.Open(now), aside: map[int64]string{}}
}

// destAbove is the destination of all rows.
var destAbove = returners.DestAbove

// add commits a return.
func (s *shelf) add(t rapid.TB, jid, id string) { s.put(t, jid, id, true) }

func (s *shelf) put(t rapid.TB, jid, id string, result any) {
	t.Helper()
	raw, err := wire.Encode(wire.NewMap("id", id, "jid", jid, "fun", "x", "return", result, "retcode", 0, "success", true))
	if err != nil {
		t.Fatal(err)
	}
	s.n++
	if _, err := s.Commit(context.Background(), returners.Batch{
		Returns: []returners.Return{{JID: jid, ID: id, Fun: "x", Full: raw}},
		Outbox:  []returners.Item{{Dest: destAbove, Kind: returners.KindReturn, JID: jid, ID: id}},
	}); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) OutboxReject(ctx context.Context, dest string, seq int64, reason string) error {
	s.aside[seq] = reason
	return s.Store.OutboxReject(ctx, dest, seq, reason)
}

// owner is a parent that defers the returns of some minions.
type owner struct {
	leaves   map[string]bool
	had      []string
	requests int
}

func (*owner) IsUp() bool               { return true }
func (*owner) IsResting() bool          { return false }
func (*owner) SetResting(bool)          {}
func (*owner) Owns(returners.Item) bool { return true }
func (*owner) Shifts() uint64           { return 0 }
func (*owner) Concurrency() (int, bool) { return 1, false }

func (o *owner) Request(_ context.Context, load *wire.Map) (wire.Raw, error) {
	o.requests++
	var verdicts wire.Verdicts
	for _, j := range load.List("load") {
		for _, id := range j.(*wire.Map).Map("return").Keys() {
			if o.leaves[id.(string)] {
				verdicts.Leave(wire.ReturnOf{JID: "1", ID: id.(string)})
			} else {
				o.had = append(o.had, id.(string))
			}
		}
	}
	return wire.Encode(verdicts.Reply())
}

// Deferred rows delay no other, are retried at growing intervals, and are set aside after an hour.
func TestDeferredRows(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	box := newShelf(func() time.Time { return now })
	top := &owner{leaves: map[string]bool{"a": true, "b": true}}
	s := NewHandover(HandoverOptions{
		Parent: top, Outbox: box, Jobs: box, Dests: []string{destAbove}, Log: slog.New(slog.DiscardHandler), Remember: 1, Now: func() time.Time { return now },
	})
	turn := func() {
		t.Helper()
		for {
			f, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				return
			}
			if l := s.Send(t.Context(), f); l.Err != nil {
				t.Fatal(l.Err)
			}
		}
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		box.add(t, "1", id)
	}
	turn()
	if fmt.Sprint(top.had) != "[c d]" || top.requests != 1 {
		t.Fatalf("parent has %v after %d requests", top.had, top.requests)
	}
	box.add(t, "1", "e")
	turn() // too early for a and b
	if fmt.Sprint(top.had) != "[c d e]" || top.requests != 2 {
		t.Errorf("parent has %v after %d requests", top.had, top.requests)
	}
	for until := now.Add(30 * time.Minute); now.Before(until); {
		at, ok := s.Due()
		if !ok || at.Before(now) {
			t.Fatalf("due at %v, %v", at, ok)
		}
		now = at
		turn()
	}
	if top.requests > 50 {
		t.Errorf("%d requests in half an hour", top.requests)
	}
	delete(top.leaves, "a")
	now = now.Add(lastPause)
	turn()
	if fmt.Sprint(top.had) != "[c d e a]" || len(box.aside) != 0 {
		t.Errorf("parent has %v, set aside %v", top.had, box.aside)
	}
	now = now.Add(postponedFor)
	turn()
	if held, rests := s.window.Len(); len(box.aside) != 1 || box.aside[2] != errLeftForLong.Error() || held+rests != 0 {
		t.Errorf("set aside %v, the window holds %d and %d", box.aside, held, rests)
	}
}
