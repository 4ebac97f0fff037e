package handover

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// shelf is an outbox and job store in memory.
type shelf struct {
	returners.Outbox
	rows  []returners.Item
	aside map[int64]string
}

func (s *shelf) add(t *testing.T, id string) {
	t.Helper()
	raw, err := wire.Encode(wire.NewMap("id", id, "jid", "1", "fun", "x", "return", true, "retcode", 0, "success", true))
	if err != nil {
		t.Fatal(err)
	}
	s.rows = append(s.rows, returners.Item{Seq: int64(len(s.rows) + 1), Kind: returners.KindReturn, JID: "1", ID: id, Payload: raw})
}

func (s *shelf) OutboxRead(_ context.Context, _ string, after int64, limit, _ int) (out []returners.Item, _ error) {
	for _, it := range s.rows {
		if it.ID != "" && it.Seq > after && len(out) < limit {
			out = append(out, it)
		}
	}
	return out, nil
}

func (s *shelf) OutboxAck(_ context.Context, _ string, seqs []int64) error {
	for _, seq := range seqs {
		s.rows[seq-1].ID = ""
	}
	return nil
}

func (s *shelf) OutboxReject(_ context.Context, _ string, seq int64, reason string) error {
	s.rows[seq-1].ID = ""
	s.aside[seq] = reason
	return nil
}

func (s *shelf) GetLoad(context.Context, string) (returners.Load, bool, error) {
	return returners.Load{}, false, nil
}

// owner is a parent that leaves the returns of some minions.
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

// What a parent leaves holds nothing up, is given again ever more seldom, and is set
// aside after an hour.
func TestRowsThatTheParentLeaves(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	box := &shelf{aside: map[int64]string{}}
	top := &owner{leaves: map[string]bool{"a": true, "b": true}}
	s := New(Options{
		Parent: top, Outbox: box, Jobs: box, Log: slog.New(slog.DiscardHandler), Remember: 1, Now: func() time.Time { return now },
	})
	turn := func() {
		t.Helper()
		err := s.Turn(t.Context())
		if len(top.leaves) == 0 && err != nil || len(top.leaves) > 0 && !errors.Is(err, ErrLeft) {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		box.add(t, id)
	}
	turn()
	if fmt.Sprint(top.had) != "[c d]" || top.requests != 1 {
		t.Fatalf("it has had %v in %d requests", top.had, top.requests)
	}
	box.add(t, "e")
	turn() // too early for a and b
	if fmt.Sprint(top.had) != "[c d e]" || top.requests != 2 {
		t.Errorf("it has had %v in %d requests", top.had, top.requests)
	}
	for range 30 * 60 {
		now = now.Add(time.Second)
		turn()
	}
	if top.requests > 50 {
		t.Errorf("%d requests in half an hour", top.requests)
	}
	delete(top.leaves, "a")
	now = now.Add(lastPause)
	turn()
	if fmt.Sprint(top.had) != "[c d e a]" || len(box.aside) != 0 {
		t.Errorf("it has had %v, set aside %v", top.had, box.aside)
	}
	now = now.Add(postponedFor)
	clear(top.leaves)
	top.leaves["b"] = true
	if err := s.Turn(t.Context()); err != nil && !errors.Is(err, ErrLeft) {
		t.Fatal(err)
	}
	if len(box.aside) != 1 || box.aside[2] != errLeftForLong.Error() || len(s.suspects) != 0 {
		t.Errorf("set aside %v, suspects %v", box.aside, s.suspects)
	}
}
