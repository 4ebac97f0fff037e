package topology

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// up carries what changed below to the parent over the wire, as a forwarder
// does, and gives the revision that the parent has then.
func up(tb testing.TB, child, parent *Tree, acked uint64) (_ uint64, whole bool) {
	tb.Helper()
	if d, ok := child.Changes(acked); ok && acked > 0 {
		b, err := wire.Encode(d.Map())
		if err != nil {
			tb.Fatal(err)
		}
		m, err := wire.DecodeMap(b)
		if err != nil {
			tb.Fatal(err)
		}
		if d, err = DeltaFrom(m); err != nil {
			tb.Fatal(err)
		}
		if err := parent.Apply(child.self.ID, child.Life(), d); err == nil {
			return parent.Have(child.self.ID, child.Life()), false
		} else if !errors.Is(err, ErrStale) {
			tb.Fatal(err)
		}
	}
	n, at := child.Whole()
	n, err := overTheWire(tb, n)
	if err != nil {
		tb.Fatal(err)
	}
	if err := parent.Report(n, at); err != nil {
		tb.Fatal(err)
	}
	return at, true
}

// Random changes at two tiers reach the top as differences, and what the top
// knows is what it would know from whole reports.
func TestDifferencesEqualTheWhole(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		tick := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		clock := func() time.Time { tick = tick.Add(time.Second); return tick }
		top := NewTree(Node{ID: "top", Role: "master"}, clock)
		mid := NewTree(Node{ID: "mid", Role: "syndic"}, clock)
		low := NewTree(Node{ID: "low", Role: "syndic"}, clock)
		var toMid, toTop uint64
		wholes := 0
		for range 200 {
			switch id := fmt.Sprint("m", rnd.IntN(20)); rnd.IntN(9) {
			case 0, 1, 2:
				low.SetMinion(Minion{ID: id, State: []State{Up, Down}[rnd.IntN(2)], Version: "1"})
			case 3:
				low.Remove(id)
			case 4:
				mid.SetMinion(Minion{ID: "d" + id, State: Up})
			case 5:
				n := Node{ID: fmt.Sprint("n", rnd.IntN(3)), Role: "syndic", State: Up}
				for k := range rnd.IntN(4) {
					n.Minions = append(n.Minions, Minion{ID: fmt.Sprint(id, k), State: Up})
				}
				low.SetNode(n)
			case 6:
				low.Remove(fmt.Sprint("n", rnd.IntN(3)))
			case 7:
				low.SetVitals(Vitals{Jobs: rnd.IntN(100)})
			case 8:
				mid.SetNodeState("low", []State{Up, Down}[rnd.IntN(2)])
			}
			if rnd.IntN(2) == 0 {
				toMid, _ = up(t, low, mid, toMid)
			}
			if rnd.IntN(2) == 0 {
				var whole bool
				if toTop, whole = up(t, mid, top, toTop); whole {
					wholes++
				}
			}
		}
		toMid, _ = up(t, low, mid, toMid)
		_, _ = up(t, mid, top, toTop)
		want, _ := mid.Whole()
		want, err := overTheWire(t, want)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := top.Node("mid")
		want.Since, got.Since = time.Time{}, time.Time{} // the parent's own knowledge
		differ := false
		if quiet := differences(want, got, "", func(change) { differ = true }); !quiet || differ {
			t.Fatalf("seed %d: the top has\n%+v\nwant\n%+v", seed, got, want)
		}
		if wholes != 1 {
			t.Errorf("seed %d: %d whole reports", seed, wholes)
		}
		_ = toMid
	}
}

func TestFiguresAreQuiet(t *testing.T) {
	tr := NewTree(Node{ID: "n"}, nil)
	tr.SetNode(Node{ID: "a", State: Up})
	c, stop := tr.Watch()
	defer stop()
	before := tr.Revision()
	tr.SetVitals(Vitals{Jobs: 3})
	tr.SetLag(time.Second)
	tr.SetSkew("a", time.Minute)
	tr.SetNode(Node{ID: "a", State: Up, Vitals: Vitals{Jobs: 9}})
	if notified(c) {
		t.Error("figures counted as a change")
	}
	d, ok := tr.Changes(before)
	if !ok || len(d.Parts) != 2 || d.Parts[0].Vitals.Lag != time.Second || d.Parts[1].Vitals.Skew != time.Minute || d.Parts[1].Vitals.Jobs != 9 {
		t.Errorf("%+v", d)
	}
}

func TestStaleDifferences(t *testing.T) {
	top := NewTree(Node{ID: "top"}, nil)
	low := NewTree(Node{ID: "low"}, nil)
	at, _ := up(t, low, top, 0)
	low.SetMinion(Minion{ID: "m", State: Up})
	d, _ := low.Changes(at)
	for _, c := range []struct {
		name, id, life string
		d              Delta
	}{
		{"another life", "low", "other", d},
		{"another node", "high", low.Life(), d},
		{"a gap", "low", low.Life(), Delta{From: at + 5, To: at + 6}},
		{"an unknown place", "low", low.Life(), Delta{From: at, To: at + 1, Parts: []Part{{Path: "nowhere"}}}},
	} {
		if err := top.Apply(c.id, c.life, c.d); !errors.Is(err, ErrStale) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if top.Have("low", low.Life()) != 0 {
		t.Error("after a difference that failed the whole is not asked for")
	}
	if _, ok := low.Changes(low.Revision() + 1); ok {
		t.Error("changes of the future are known")
	}
	for i := range 3 * maxChanges {
		low.SetMinion(Minion{ID: "m", State: []State{Up, Down}[i%2]})
	}
	if _, ok := low.Changes(at); ok {
		t.Error("changes are kept for ever")
	}
	if d, ok := low.Changes(low.Revision() - maxChanges); !ok || len(d.Parts) != 1 || len(d.Parts[0].Minions) != 1 {
		t.Errorf("%v, %d parts", ok, len(d.Parts))
	}
}

func TestLoopIsRefused(t *testing.T) {
	a, b := NewTree(Node{ID: "a"}, nil), NewTree(Node{ID: "b"}, nil)
	if _, whole := up(t, a, b, 0); !whole {
		t.Fatal("no whole report")
	}
	n, at := b.Whole()
	if err := a.Report(n, at); !errors.Is(err, ErrLoop) {
		t.Errorf("a node below itself: %v", err)
	}
	if err := b.SetAbove("a", []Ancestor{{"top", "x", ""}, {"b", b.Life(), ""}, {"a", a.Life(), ""}}); !errors.Is(err, ErrLoop) {
		t.Errorf("a node above itself: %v", err)
	}
	if p := b.Snapshot().Problems; len(p) != 1 || p[0].Kind != Loop {
		t.Errorf("reported %+v", p)
	}
	if err := b.SetAbove("a", []Ancestor{{"b", "another", ""}, {"a", a.Life(), ""}}); err != nil {
		t.Errorf("another node of the same id: %v", err)
	}
	if p := b.Snapshot().Problems; len(p) != 1 || p[0].Kind != DuplicateNode {
		t.Errorf("reported %+v", p)
	}
	if err := b.SetAbove("a", []Ancestor{{"a", a.Life(), ""}}); err != nil || len(b.Snapshot().Problems) != 0 {
		t.Errorf("healed: %v, %+v", err, b.Snapshot().Problems)
	}
	if p := b.Path(); len(p) != 2 || p[0].ID != "a" || p[1].ID != "b" {
		t.Errorf("path %+v", p)
	}
}

func FuzzDeltaFrom(f *testing.F) {
	low := NewTree(Node{ID: "low"}, nil)
	low.SetNode(company())
	low.SetMinion(Minion{ID: "m", State: Up})
	d, _ := low.Changes(0)
	b, err := wire.Encode(d.Map())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		d, err := DeltaFrom(m)
		if err != nil {
			return
		}
		tr := NewTree(Node{ID: "top"}, nil)
		n := company()
		n.ID, n.Life = "low", "x"
		if err := tr.Report(n, d.From); err != nil {
			t.Fatal(err)
		}
		if err := tr.Apply("low", "x", d); err != nil {
			return
		}
		_ = Problems(tr.Snapshot())
		if again, err := overTheWire(t, tr.Snapshot()); err == nil && again.ID != "top" {
			t.Error(again.ID)
		}
	})
}
