package returns

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// answer is a parent's answer to a request.
type answer string

const (
	takes   answer = "takes"
	leaves  answer = "leaves some"
	refuses answer = "refuses"
	lost    answer = "is not heard"
	names   answer = "refuses one by name"
)

// request is a request in flight until the test answers it.
type request struct {
	rows   []wire.ReturnOf
	answer chan answer
	landed chan Result
}

// upper is a parent with answers given by the test.
type upper struct {
	up, resting bool
	shifts      uint64
	most        int
	apart       bool
	theirs      map[wire.ReturnOf]bool // rows of another parent
	came        chan *request
	had         map[wire.ReturnOf]int
}

func (u *upper) IsUp() bool                  { return u.up }
func (u *upper) IsResting() bool             { return u.resting }
func (u *upper) SetResting(r bool)           { u.resting = r }
func (u *upper) Shifts() uint64              { return u.shifts }
func (u *upper) Concurrency() (int, bool)    { return u.most, u.apart }
func (u *upper) Owns(it returners.Item) bool { return !u.theirs[wire.ReturnOf{JID: it.JID, ID: it.ID}] }
func (u *upper) add(rows []wire.ReturnOf)    { add(u.had, rows) }
func add[K comparable](m map[K]int, keys []K) {
	for _, k := range keys {
		m[k]++
	}
}

func (u *upper) Request(_ context.Context, load *wire.Map) (wire.Raw, error) {
	r := &request{answer: make(chan answer)}
	for _, j := range load.List("load") {
		for _, id := range j.(*wire.Map).Map("return").Keys() {
			r.rows = append(r.rows, wire.ReturnOf{JID: j.(*wire.Map).String("jid"), ID: id.(string)})
		}
	}
	u.came <- r
	switch <-r.answer {
	case refuses:
		return wire.Encode("")
	case lost:
		return nil, errors.New("no answer")
	case names:
		if len(r.rows) > 0 {
			var v wire.Verdicts
			v.Refuse(r.rows[0], "nested too deep")
			u.add(r.rows[1:])
			return wire.Encode(v.Reply())
		}
	case leaves:
		if n := len(r.rows) / 2; n > 0 {
			u.add(r.rows[n:])
			var v wire.Verdicts
			for _, row := range r.rows[:n] {
				v.Leave(row)
			}
			return wire.Encode(v.Reply())
		}
	}
	u.add(r.rows)
	return wire.Encode(nil)
}

// Whatever arrives, is refused, deferred, lost or another parent's, in any order and with any
// bounds, at a mom master or another: a row leaves the outbox when the parent has it and not
// before, none is in flight twice, none is stuck while nothing is in flight, the returns of a job
// stay in order where that is guaranteed, and the sweep finds nothing.
func TestHandover_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := bounds.Bounds{
			ForwardRows: rapid.IntRange(1, 4).Draw(t, "rows"), ForwardBytes: rapid.SampledFrom([]int{1, 120, 1 << 20}).Draw(t, "bytes"),
			ForwardWindow: rapid.IntRange(1, 8).Draw(t, "window"), ForwardWindowBytes: rapid.SampledFrom([]int{1, 200, 1 << 20}).Draw(t, "window bytes"),
			ForwardResting: rapid.IntRange(1, 4).Draw(t, "resting"),
		}
		now := time.Unix(1_000_000, 0)
		clock := func() time.Time { return now }
		box := newShelf(clock)
		u := &upper{
			up: true, most: rapid.IntRange(1, 3).Draw(t, "requests"), apart: rapid.Bool().Draw(t, "apart"),
			theirs: map[wire.ReturnOf]bool{}, came: make(chan *request), had: map[wire.ReturnOf]int{},
		}
		s := NewHandover(HandoverOptions{Parent: u, Outbox: box, Jobs: box, Dests: []string{destAbove, "parent:own"}, Remember: 1, Bounds: b, Log: slog.New(slog.DiscardHandler), Now: clock})
		var under []*request
		committed := map[wire.ReturnOf]int{}
		pausing := false
		order := true // nothing refused or lost yet
		lastOf := map[string]int{}
		depart := func() bool {
			if pausing {
				return false
			}
			f, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				return false
			}
			landed := make(chan Result, 1)
			go func() { landed <- s.Send(context.Background(), f) }()
			r := <-u.came
			r.landed = landed
			for _, other := range under {
				for _, row := range r.rows {
					if slices.Contains(other.rows, row) {
						t.Fatalf("%v in flight twice", row)
					}
					if u.apart && slices.ContainsFunc(other.rows, func(o wire.ReturnOf) bool { return o.JID == row.JID }) {
						t.Fatalf("two requests with job %s", row.JID)
					}
				}
			}
			if len(r.rows) > b.ForwardRows {
				t.Fatalf("a request of %d rows", len(r.rows))
			}
			under = append(under, r)
			if n := len(under); n > u.most {
				t.Fatalf("%d requests in flight", n)
			}
			for _, row := range r.rows {
				n := committed[row]
				if order && u.apart && n < lastOf[row.JID] {
					t.Fatalf("return %d of %s comes after %d", n, row.JID, lastOf[row.JID])
				}
				lastOf[row.JID] = n
			}
			return true
		}
		land := func(i int, a answer) {
			r := under[i]
			under = slices.Delete(under, i, i+1)
			order = order && a == takes
			r.answer <- a
			var l Result
			for ended := false; !ended; {
				select {
				case l = <-r.landed:
					ended = true
				case more := <-u.came: // an error in place of the row
					more.answer <- a
				}
			}
			pausing = pausing && !l.Taken || l.Err != nil
		}
		pending := func() (out []returners.Item) {
			rows, err := box.OutboxRead(t.Context(), destAbove, 0, 1000, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range rows {
				if u.Owns(it) {
					out = append(out, it)
				}
			}
			return out
		}
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "rows") {
					row := wire.ReturnOf{JID: rapid.SampledFrom([]string{"20260301000000000001", "20260301000000000002"}).Draw(t, "job"), ID: fmt.Sprint("m", box.n)}
					box.add(t, row.JID, row.ID)
					committed[row] = box.n
				}
			},
			"depart": func(*rapid.T) { depart() },
			"all": func(*rapid.T) {
				for depart() {
				}
			},
			"land": func(t *rapid.T) {
				if len(under) > 0 {
					land(rapid.IntRange(0, len(under)-1).Draw(t, "which"), rapid.SampledFrom([]answer{takes, takes, leaves, refuses, refuses, lost, names}).Draw(t, "answer"))
				}
			},
			"later": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond)
				pausing = false
			},
			"link": func(*rapid.T) { u.up = !u.up; u.shifts++ },
			"shift": func(t *rapid.T) {
				order = false
				for _, it := range pending() {
					u.theirs[wire.ReturnOf{JID: it.JID, ID: it.ID}] = rapid.IntRange(0, 3).Draw(t, "whose") == 0
				}
				u.shifts++
			},
			"": func(t *rapid.T) {
				there := map[wire.ReturnOf]bool{}
				for _, dest := range []string{destAbove, returners.Rejected(destAbove)} {
					rows, err := box.OutboxRead(t.Context(), dest, 0, 1000, 0)
					if err != nil {
						t.Fatal(err)
					}
					for _, it := range rows {
						there[wire.ReturnOf{JID: it.JID, ID: it.ID}] = true
					}
				}
				for row := range committed {
					if !there[row] && u.had[row] == 0 {
						t.Fatalf("%v left the outbox, but the parent does not have it", row)
					}
				}
				if len(under) == 0 {
					if f, err := s.Look(t.Context()); err != nil || f.Rows != 0 || f.Again {
						t.Fatalf("%d rows passed over, %v", f.Rows, err)
					}
				}
			},
		})
		// From here on the parent accepts everything.
		u.up = true
		clear(u.theirs)
		u.shifts++
		for range 100_000 {
			for depart() {
			}
			if len(under) > 0 {
				land(0, takes)
				continue
			}
			if pausing {
				now, pausing = now.Add(time.Second), false
				continue
			}
			at, ok := s.Due()
			if !ok {
				break
			}
			now = at
		}
		if left := pending(); len(left) != 0 {
			t.Fatalf("%d rows stuck, first %d of %s", len(left), left[0].Seq, left[0].JID)
		}
		if held, rests := s.window.Len(); held+rests != 0 || u.resting {
			t.Fatalf("window has %d and %d rows, resting %v", held, rests, u.resting)
		}
	})
}
