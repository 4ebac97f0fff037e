package forwarding

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
)

// narrow is a master above that takes no batch with the result "deep" in it: an older
// one says "bad load" to all of it, one of ours names the row.
type narrow struct {
	owner
	names  bool
	broken bool // it takes nothing but empty batches
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

// drain plays the forwarder until nothing is left to be done, or for so many pauses.
func drain(t *testing.T, s *Sender, now *time.Time, pauses int) {
	t.Helper()
	for range pauses {
		for failed := false; !failed; {
			f, err := s.Depart(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				break
			}
			failed = s.Fly(t.Context(), f).Err != nil
		}
		*now = now.Add(time.Second)
	}
}

// C1: a row that the master above can never take is found in its batch, kept aside
// and, where that master has not done so itself, replaced by an error that ends the
// job there. 40 rows, one of them or the only one refused; the peer is an older master
// of ours, or Python's, that answers "bad load" to the whole batch, or one that names
// the row.
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
			s := New(Options{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{above}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
			for i := range c.other / 2 {
				box.addResult(t, fmt.Sprint("m", i), "fine")
			}
			box.addResult(t, "bad", "deep")
			for i := c.other / 2; i < c.other; i++ {
				box.addResult(t, fmt.Sprint("m", i), "fine")
			}
			drain(t, s, &now, 10)
			if len(box.aside) != 1 || len(top.got) < c.other {
				t.Fatalf("set aside %v; the master above has %d of %d", box.aside, len(top.got), c.other)
			}
			text, ended := top.got["bad"]
			if ended == c.names || ended && !strings.HasPrefix(text, "ERROR: the result of bad could not be taken by top: ") {
				t.Errorf("the job is ended: %v, by %q", ended, text)
			}
			before := top.requests
			if drain(t, s, &now, 3); top.requests != before {
				t.Error("it is tried again")
			}
		})
	}
}

// C1: a master above that takes nothing at all is at fault itself: no row is lost to it.
func TestRowsStayWhenNothingIsTaken(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	box, top := newShelf(clock), &narrow{broken: true, got: map[string]string{}}
	s := New(Options{Parent: top, Name: "top", Outbox: box, Jobs: box, Dests: []string{above}, Now: clock, Log: slog.New(slog.DiscardHandler), Remember: 1})
	for i := range 5 {
		box.addResult(t, fmt.Sprint("m", i), "fine")
	}
	if drain(t, s, &now, 20); len(top.got) != 0 {
		t.Fatal("it says that some is done")
	}
	if len(box.aside) != 0 {
		t.Errorf("set aside: %v", box.aside)
	}
	top.broken = false
	drain(t, s, &now, 3)
	if len(top.got) != 5 {
		t.Errorf("it has %v", top.got)
	}
}
