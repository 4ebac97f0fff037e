package returns

import (
	"time"

	"github.com/momtree/mom/returners"
)

// Fault returns what is known of a row's refusals.
func (w *Window) Fault(seq int64) Fault {
	if s := w.rows[seq]; s != nil {
		return s.fault
	}
	return Fault{}
}

// Doubt records whether the parent may be at fault for refusing rows sent alone. While it is set,
// rows that were never sent alone go first.
func (w *Window) Doubt(doubt bool) { w.doubt = doubt }

// Untried reports whether a waiting row was never refused alone.
func (w *Window) Untried() bool {
	for _, seq := range w.order {
		if w.rows[seq].fault.Strikes == 0 {
			return true
		}
	}
	return false
}

// Rest delays the retry of a row in flight. Only its number is kept.
func (w *Window) Rest(it returners.Item, f Fault, until time.Time) {
	if s := w.leave(it.Seq, inFlight); s != nil {
		s.fault = f
		w.rest(s, until)
	}
}

func (w *Window) rest(s *slot, until time.Time) {
	s.state, s.until = resting, until
	s.it = returners.Item{Seq: s.it.Seq, Dest: s.it.Dest}
	w.rests++
	if w.rests == 1 || until.Before(w.wakes) {
		w.wakes = until
	}
}

// Due returns the first row of a destination whose rest is over, or false.
func (w *Window) Due(dest string, now time.Time) (first int64, ok bool) {
	if w.rests == 0 || now.Before(w.wakes) {
		return 0, false
	}
	for seq, s := range w.rows {
		if s.state == resting && s.it.Dest == dest && !now.Before(s.until) && (!ok || seq < first) {
			first, ok = seq, true
		}
	}
	return first, ok
}

// Wakes returns when the next resting row is due after that time, or false.
func (w *Window) Wakes(after time.Time) (at time.Time, ok bool) {
	if w.rests == 0 {
		return at, false
	}
	for _, s := range w.rows {
		if s.state == resting && s.until.After(after) && (!ok || s.until.Before(at)) {
			at, ok = s.until, true
		}
	}
	return at, ok
}

// Recall moves rows whose rest is over back to the waiting rows. page is the outbox of dest from
// the first of them on; a row missing in it was removed. Rows that are not this parent's are passed
// until Restart.
func (w *Window) Recall(dest string, now time.Time, page []returners.Item, mine func(i int) bool) {
	there := make(map[int64]int, len(page))
	for i := range page {
		there[page[i].Seq] = i
	}
	w.wakes = time.Time{}
	for seq, s := range w.rows {
		if s.state != resting {
			continue
		}
		if i, ok := there[seq]; ok && s.it.Dest == dest && !now.Before(s.until) {
			w.leave(seq, resting)
			if !mine(i) {
				delete(w.rows, seq)
				continue
			}
			s.it = page[i]
			w.wait(s)
			continue
		}
		due := s.it.Dest == dest && !now.Before(s.until)
		if due && (len(page) == 0 || seq < page[len(page)-1].Seq) { // removed by another parent's sender
			w.leave(seq, resting)
			delete(w.rows, seq)
			continue
		}
		if w.wakes.IsZero() || s.until.Before(w.wakes) {
			w.wakes = s.until
		}
	}
}
