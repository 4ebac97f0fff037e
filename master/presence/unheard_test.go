package presence

import "testing"

type lines struct{ *Registry }

func (w *lines) open(id uint64, position int64) { w.Opened(&conn{id: id}, Before{Position: position}) }

// A stock minion that connects is given what was published before only if it cannot have
// run it over another connection and been started since. What could have carried it are
// the connections from before the publication, which is at position 5 here.
func TestUnheard(t *testing.T) {
	const old, own, at = 1, 2, 5
	for name, c := range map[string]struct {
		before func(w *lines, now *int64) // until the minion's connection comes
		after  func(w *lines, now *int64) // then, until it says that it is its own
		want   bool
	}{
		"nobody was connected":            {nil, nil, true},
		"the connection was there before": {func(_ *lines, now *int64) { *now = at - 1 }, nil, false},
		"an earlier one is another's": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "other")
			*now = 9
		}, nil, true},
		"an earlier one says nothing yet": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = 9
		}, nil, false},
		"an earlier one was a syndic's": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			w.OfSyndic(old)
			*now = 9
		}, nil, true},
		"an earlier one ended without a word, before": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = at - 1
			w.Closed(old)
			*now = 9
		}, nil, true},
		"an earlier one ended without a word, after": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			*now = at
			w.Closed(old)
			*now = 9
		}, nil, false},
		"it was here before": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "m1")
			w.Closed(old)
			*now = 9
		}, nil, false},
		"it hangs on an earlier one still": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "m1")
			*now = 9
		}, nil, false},
		"many hang on one connection": {func(w *lines, now *int64) {
			*now = 1
			w.open(old, *now)
			w.Named(old, "a")
			w.Named(old, "b")
			*now = 9
		}, nil, false},
		"another is on the connection": {nil, func(w *lines, _ *int64) { w.Named(own, "other") }, false},
		"it has gone":                  {nil, func(w *lines, _ *int64) { w.Closed(own) }, false},
		"others that came since have not said who they are": {nil, func(w *lines, now *int64) { w.open(3, *now) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			now := int64(9)
			w := &lines{New(Config{Asks: true, Position: func() int64 { return now }})}
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
