package returns

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// narrow is a parent that accepts no batch containing the result "deep": an older one answers "bad
// load" to all of it, a mom master names the row.
type narrow struct {
	owner
	names  bool
	broken bool // accepts only empty batches
	deaf   int  // errors in place of a row that it does not answer
	got    map[string]string
}

func (n *narrow) Request(_ context.Context, load *wire.Map) (wire.Raw, error) {
	n.requests++
	var v wire.Verdicts
	took := map[string]string{}
	for _, j := range load.List("load") {
		job := j.(*wire.Map)
		for _, k := range job.Map("return").Keys() {
			id := k.(string)
			r := job.Map("return").Map(id)
			text := ""
			if raw, ok := r.Get("return"); ok {
				text, _ = wire.Str(raw.(wire.Raw))
			}
			switch {
			case strings.HasPrefix(text, "ERROR") && n.deaf > 0:
				n.deaf--
				return nil, fmt.Errorf("request: %w", channel.ErrNoAnswer)
			case n.broken, text == "deep" && !n.names:
				return nil, fmt.Errorf("request: %w", channel.ErrRefused)
			case text == "deep":
				v.Refuse(wire.ReturnOf{JID: job.String("jid"), ID: id}, "nested deeper than 48 levels")
			default:
				took[id] = text
			}
		}
	}
	for id, text := range took {
		n.got[id] = text
	}
	return wire.Encode(v.Reply())
}

func (s *shelf) addResult(t *testing.T, id, result string) {
	t.Helper()
	s.put(t, "1", id, result)
}

// drain runs the loop of a sender until nothing is left to do, or for that many pauses.
func drain(t *testing.T, s *Handover, now *time.Time, pauses int) {
	t.Helper()
	for range pauses {
		for failed := false; !failed; {
			f, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				break
			}
			failed = s.Send(t.Context(), f).Err != nil
		}
		*now = now.Add(time.Second)
	}
}

// A row that the parent can never accept is found in its batch, set aside and, unless the parent
// has done so itself, replaced by an error that ends its job. 40 rows, one or the only one refused;
// the parent is an older or Python master, which answers "bad load", or one that names the row.
func TestRefusedRowIsFoundAndEndsItsJob(t *testing.T) {
	for _, c := range []struct {
		name  string
		names bool
		other int
	}{{"bad load to 40", false, 39}, {"bad load to one alone", false, 0}, {"named among 40", true, 39}, {"named alone", true, 0}} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			clock := func() time.Time { return now }
			box, top := newShelf(clock), &narrow{names: c.names, got: map[string]string{}}
			s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
			for i := range c.other / 2 {
				box.addResult(t, fmt.Sprint("m", i), "fine")
			}
			box.addResult(t, "bad", "deep")
			for i := c.other / 2; i < c.other; i++ {
				box.addResult(t, fmt.Sprint("m", i), "fine")
			}
			drain(t, s, &now, 10)
			if len(box.aside) != 1 || len(top.got) < c.other {
				t.Fatalf("set aside %v; the parent has %d of %d", box.aside, len(top.got), c.other)
			}
			text, ended := top.got["bad"]
			if ended == c.names || ended && !strings.HasPrefix(text, "ERROR: the result of bad could not be taken by top: ") {
				t.Errorf("job ended: %v, by %q", ended, text)
			}
			before := top.requests
			if drain(t, s, &now, 3); top.requests != before {
				t.Error("row retried")
			}
		})
	}
}

// Refused rows that refuse their whole request delay no other row and no job, however many wait in
// front.
func TestManyRefusedRowsAreFound(t *testing.T) {
	for _, bad := range []int{2, 3, 7, 12} {
		now := time.Unix(1000, 0)
		clock := func() time.Time { return now }
		box, top := newShelf(clock), &narrow{got: map[string]string{}}
		s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
		for i := range bad {
			box.addResult(t, fmt.Sprint("bad", i), "deep")
		}
		box.addResult(t, "m", "fine")
		drain(t, s, &now, 20)
		if len(box.aside) != bad || len(top.got) != bad+1 {
			t.Errorf("%d bad rows: set aside %v; the parent has %v", bad, box.aside, top.got)
		}
	}
}

// The error that ends the job of a refused row is sent until the parent answers.
func TestRefusedRow_ErrorIsResent(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	box, top := newShelf(clock), &narrow{deaf: 2, got: map[string]string{}}
	s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
	box.addResult(t, "m1", "fine")
	box.addResult(t, "bad", "deep")
	box.addResult(t, "m2", "fine")
	drain(t, s, &now, 20)
	if len(box.aside) != 1 || len(top.got) != 3 {
		t.Errorf("set aside %v; the parent has %v", box.aside, top.got)
	}
}

// A parent that accepts nothing is itself at fault: no row is set aside.
func TestRowsStayWhenNothingIsTaken(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	box, top := newShelf(clock), &narrow{broken: true, got: map[string]string{}}
	s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
	for i := range 5 {
		box.addResult(t, fmt.Sprint("m", i), "fine")
	}
	if drain(t, s, &now, 20); len(top.got) != 0 {
		t.Fatal("result reports accepted rows")
	}
	if len(box.aside) != 0 {
		t.Errorf("set aside: %v", box.aside)
	}
	top.broken = false
	drain(t, s, &now, 3)
	if len(top.got) != 5 {
		t.Errorf("parent has %v", top.got)
	}
}

// A row that is due while another request is in flight does not make the sender spin.
func TestDue_WhileARequestIsInFlight(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	box, top := newShelf(clock), &narrow{got: map[string]string{}}
	s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
	box.addResult(t, "bad", "deep")
	drain(t, s, &now, 1)
	box.addResult(t, "m", "fine")
	now = now.Add(-time.Second) // time of the refusal
	f, err := s.Next(t.Context())
	if f == nil || err != nil {
		t.Fatal(f, err)
	}
	due, rests := s.Due()
	if !rests || !due.After(now) {
		t.Fatalf("refused row due at %v, %v", due, rests)
	}
	now = due.Add(time.Millisecond)
	if g, err := s.Next(t.Context()); g != nil || err != nil {
		t.Fatalf("%v, %v: more than one request after a refusal", g, err)
	}
	if at, ok := s.Due(); ok && !at.After(now) {
		t.Errorf("due %v ago, but nothing can be sent", now.Sub(at))
	}
	if l := s.Send(t.Context(), f); l.Err != nil {
		t.Fatal(l.Err)
	}
	if f, err = s.Next(t.Context()); f == nil || err != nil {
		t.Errorf("%v, %v: due row not sent", f, err)
	}
}

// oneOfTwo is a parent beside another requester.
type oneOfTwo struct{ narrow }

func (*oneOfTwo) Others(it returners.Item) []string {
	if it.Dest == destAbove {
		return []string{"parent:other"}
	}
	return nil
}

func (*oneOfTwo) Wake(string) {}

// A row that one parent can never accept goes to the other requesters.
func TestRefusedRow_GoesToOtherParents(t *testing.T) {
	for _, names := range []bool{false, true} {
		now := time.Unix(1000, 0)
		clock := func() time.Time { return now }
		box, top := newShelf(clock), &oneOfTwo{narrow{names: names, got: map[string]string{}}}
		s := NewHandover(HandoverOptions{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{destAbove}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
		box.addResult(t, "bad", "deep")
		drain(t, s, &now, 10)
		left, err := box.OutboxRead(t.Context(), "parent:other", 0, 10, 0)
		if err != nil || len(left) != 1 || len(box.aside) != 0 {
			t.Errorf("names %v: other parent has %v, set aside %v, %v", names, left, box.aside, err)
		}
		if _, ended := top.got["bad"]; ended == names {
			t.Errorf("names %v: job ended there: %v", names, ended)
		}
	}
}
