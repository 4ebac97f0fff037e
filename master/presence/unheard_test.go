package presence

import (
	"maps"
	"testing"
)

type testRegistry struct{ *Registry }

func (w *testRegistry) open(id uint64, position int64) {
	w.Opened(&conn{id: id}, Before{Position: position})
}

// A stock minion that connects receives earlier publications only if it cannot have run them
// over another connection and restarted since. The publication is at position 5 here, so only
// older connections can have carried it.
func TestUnheard(t *testing.T) {
	const old, own, at = 1, 2, 5
	for name, c := range map[string]struct {
		before func(w *testRegistry, now *int64) // until the minion connects
		after  func(w *testRegistry, now *int64) // then, until it is named
		want   bool
	}{
		"nobody was connected":            {nil, nil, true},
		"the connection was there before": {func(_ *testRegistry, now *int64) { *now = at - 1 }, nil, false},
		"an earlier one is another's": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "other")
			*now = 9
		}, nil, true},
		"an earlier one is unnamed": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = 9
		}, nil, false},
		"an earlier one was a syndic's": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			w.OfSyndic(old)
			*now = 9
		}, nil, true},
		"an earlier one ended unnamed, before": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = at - 1
			w.Closed(old)
			*now = 9
		}, nil, true},
		"an earlier one ended unnamed, after": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = at
			w.Closed(old)
			*now = 9
		}, nil, false},
		"it was here before": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "m1")
			w.Closed(old)
			*now = 9
		}, nil, false},
		"it is still on an earlier one": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "m1")
			*now = 9
		}, nil, false},
		"one connection has many minions": {func(w *testRegistry, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "a")
			w.Named(old, "b")
			*now = 9
		}, nil, false},
		"another is on the connection":  {nil, func(w *testRegistry, _ *int64) { w.Named(own, "other") }, false},
		"it has gone":                   {nil, func(w *testRegistry, _ *int64) { w.Closed(own) }, false},
		"later connections are unnamed": {nil, func(w *testRegistry, now *int64) { w.open(3, *now) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			now := int64(9)
			w := &testRegistry{New(Config{Asks: true, Position: func() int64 { return now }})}
			if c.before != nil {
				c.before(w, &now)
			}
			w.open(own, now)
			if c.after != nil {
				c.after(w, &now)
			}
			if got := w.Unheard(own, "m1", at); got != c.want {
				t.Errorf("certain: %v", got)
			}
		})
	}
}

// A minion was a stock minion when something was published if it was connected as one then or later.
func TestWasStock(t *testing.T) {
	at := int64(10)
	w := &testRegistry{New(Config{Asks: true, Position: func() int64 { return at }})}
	check := func(when string, position int64, want bool) {
		t.Helper()
		if got := w.WasStock("a", position); got != want {
			t.Errorf("%s: at %d: %v", when, position, got)
		}
	}
	check("unknown", 0, false)
	w.open(1, 0)
	check("unnamed", 10, false)
	w.Named(1, "a")
	check("connected", 10, true)
	at = 20
	w.Closed(1)
	check("closed", 20, true)
	check("published afterwards", 21, false)
}

// Of the minions of the previous process, stock ones may have run what that process published, however long ago it ended,
// and no job of this process.
func TestWasStock_PreviousProcess(t *testing.T) {
	w := New(Config{Asks: true, Position: func() int64 { return 10 }, Known: []Peer{
		{ID: "a", Role: Minion, Stock: true}, {ID: "earlier", Role: Minion, Stock: true, Gone: true}, {ID: "own", Role: Minion},
	}})
	for _, c := range []struct {
		id   string
		at   int64
		want bool
	}{{"a", 0, true}, {"a", 10, true}, {"a", 11, false}, {"earlier", 10, true}, {"earlier", 11, false}, {"own", 0, false}, {"b", 0, false}} {
		if got := w.WasStock(c.id, c.at); got != c.want {
			t.Errorf("%s, published at %d: %v", c.id, c.at, got)
		}
	}
	if !w.HasMinion("a") || w.HasMinion("earlier") {
		t.Error("a minion that was connected long ago counts as present")
	}
}

// The connections of stock minions are those that have answered, as long as they are open.
func TestStockConns(t *testing.T) {
	w := &testRegistry{New(Config{Asks: true, Position: func() int64 { return 0 }})}
	want := map[uint64]bool{}
	check := func(when string) {
		t.Helper()
		if got := w.StockConns(); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("at first")
	for id := uint64(1); id <= 4; id++ {
		w.open(id, 0)
	}
	w.Subscribed(&conn{id: 5}, "a session of mom's")
	w.OfSyndic(3)
	check("unnamed")
	w.Named(1, "a")
	w.Named(2, "b")
	w.Named(2, "c") // a host of proxy minions
	want = map[uint64]bool{1: true, 2: true}
	check("named")
	w.Closed(1)
	want = map[uint64]bool{2: true}
	check("closed")
	w.Named(4, "a")
	want = map[uint64]bool{2: true, 4: true}
	check("connected again")
	if got := w.OwnConns(); !maps.Equal(got, map[uint64]bool{5: true}) {
		t.Errorf("connections of mom: %v", got)
	}
	w.Closed(5)
	if got := w.OwnConns(); len(got) != 0 {
		t.Errorf("connections of mom after the end: %v", got)
	}
}
