package returns

import (
	"slices"
	"time"

	"github.com/momtree/mom/returners"
)

// Window tracks which rows of an outbox are being sent to one parent, as a raft leader tracks a
// follower's progress. Rows are read in order while there is room, taken for a request, and then
// either given back or removed after the acknowledgement. A row stays in the window until it is
// done, so no position in the outbox is passed while an earlier row is pending. A refused row
// rests: only its number is kept, and it is read again when it is due.
//
// Window does no I/O, has no goroutine and no clock, and is not safe for concurrent use.
type Window struct {
	o WindowOptions

	read     map[string]int64 // by destination: rows up to here are in the window, done, or another parent's
	rows     map[int64]*slot
	order    []int64        // waiting rows, ascending
	inFlight map[string]int // rows in flight by job
	held     int            // rows waiting or in flight
	bytes    int            // their payload
	rests    int            // resting rows
	wakes    time.Time      // when the first resting row is due; zero: none rests

	done  map[int64]struct{} // rows done while a page is read; nil: no page is being read
	doubt bool               // rows never refused alone go first
}

// WindowOptions bound a [Window]. All are required.
type WindowOptions struct {
	Rows, Bytes int // waiting or in flight; one larger row passes alone
	Resting     int // resting rows
}

// slot is a row in the window.
type slot struct {
	it    returners.Item // without its payload while resting
	state slotState
	fault Fault
	until time.Time // end of its rest
}

type slotState uint8

const (
	waiting  slotState = iota
	inFlight           // in a request
	resting
)

// Fault records the refusals of a row.
type Fault struct {
	Strikes int       // refusals of the row alone
	Taken   uint64    // requests accepted by the parent at the first refusal
	Since   time.Time // when the parent first deferred it; zero: never
}

// NewWindow returns an empty window.
func NewWindow(o WindowOptions) *Window {
	return &Window{o: o, read: map[string]int64{}, rows: map[int64]*slot{}, inFlight: map[string]int{}}
}

// Room returns the number of rows and bytes that the next page may have, 0 rows if the window is
// full. recall means that the page holds resting rows.
func (w *Window) Room(recall bool) (rows, bytes int) {
	if !recall && w.rests >= w.o.Resting || w.held > 0 && w.bytes >= w.o.Bytes {
		return 0, 0
	}
	return max(w.o.Rows-w.held, 0), max(w.o.Bytes-w.bytes, 1)
}

// BeginPage returns the row after which the next page of a destination begins. Every page ends with
// EndPage, or with DropPage if the read failed.
func (w *Window) BeginPage(dest string) (after int64) {
	w.done = map[int64]struct{}{}
	return w.read[dest]
}

// EndPage adds a page. mine reports which of its rows go to this parent; the others are passed
// until Restart.
func (w *Window) EndPage(dest string, page []returners.Item, mine func(i int) bool) {
	for i := range page {
		it := &page[i]
		w.read[dest] = max(w.read[dest], it.Seq)
		//mutant:simulated-window,page-fits-the-window
		if _, done := w.done[it.Seq]; done || w.rows[it.Seq] != nil || !mine(i) {
			continue
		}
		w.rows[it.Seq] = &slot{it: *it}
		w.wait(w.rows[it.Seq])
	}
	w.done = nil
}

// DropPage ends a page that was not read.
func (w *Window) DropPage() { w.done = nil }

func (w *Window) wait(s *slot) {
	s.state = waiting
	w.held++
	w.bytes += len(s.it.Payload)
	i, _ := slices.BinarySearch(w.order, s.it.Seq)
	w.order = slices.Insert(w.order, i, s.it.Seq)
}

// Ready returns the number of rows that can be taken. apart excludes rows of jobs in flight.
func (w *Window) Ready(apart bool) (n int) {
	if !apart || len(w.inFlight) == 0 {
		return len(w.order)
	}
	for _, seq := range w.order {
		if w.inFlight[w.rows[seq].it.JID] == 0 {
			n++
		}
	}
	return n
}

// Take takes the oldest rows for one request: at most that many rows and, beyond the first, that
// many bytes. apart excludes rows of jobs in flight. A row that was refused alone is taken alone,
// and last while the parent is in doubt.
func (w *Window) Take(rows, bytes int, apart bool) []returners.Item {
	var out []returners.Item
	kept := w.order[:0:0]
	busy := map[string]bool{}
	//mutant:refused-rows-give-way
	untried := w.doubt && w.Untried()
	for i, seq := range w.order {
		s := w.rows[seq]
		if untried && s.fault.Strikes > 0 {
			kept = append(kept, seq)
			continue
		}
		full := len(out) >= rows || len(out) > 0 && (len(s.it.Payload) > bytes || s.fault.Strikes > 0 || w.rows[out[0].Seq].fault.Strikes > 0)
		if full {
			kept = append(kept, w.order[i:]...)
			break
		}
		if apart && (busy[s.it.JID] || w.inFlight[s.it.JID] > 0) {
			busy[s.it.JID] = true
			//mutant:window-holds-rows-of-busy-jobs
			kept = append(kept, seq)
			continue
		}
		bytes -= len(s.it.Payload)
		out = append(out, s.it)
	}
	for _, it := range out {
		w.rows[it.Seq].state = inFlight
		w.inFlight[it.JID]++
	}
	if len(out) > 0 {
		w.order = kept
	}
	return out
}

// Back returns rows in flight to the waiting rows.
func (w *Window) Back(rows ...returners.Item) {
	for _, it := range rows {
		if s := w.leave(it.Seq, inFlight); s != nil {
			//mutant:refused-rows-are-resent
			w.wait(s)
		}
	}
}

// Done removes rows that were acknowledged or set aside.
func (w *Window) Done(rows ...returners.Item) {
	for _, it := range rows {
		w.gone(it.Seq)
	}
}

func (w *Window) gone(seq int64) {
	s := w.rows[seq]
	if s == nil {
		return
	}
	w.leave(seq, s.state)
	delete(w.rows, seq)
	if w.done != nil {
		w.done[seq] = struct{}{}
	}
}

// leave removes a row from a state. It returns nil if the row is not in that state.
func (w *Window) leave(seq int64, from slotState) *slot {
	s := w.rows[seq]
	if s == nil || s.state != from {
		return nil
	}
	switch s.state {
	case resting:
		w.rests--
		return s
	case inFlight:
		if w.inFlight[s.it.JID]--; w.inFlight[s.it.JID] == 0 {
			delete(w.inFlight, s.it.JID)
		}
	default:
		if i, ok := slices.BinarySearch(w.order, seq); ok {
			w.order = slices.Delete(w.order, i, i+1)
		}
	}
	w.held--
	w.bytes -= len(s.it.Payload)
	return s
}

// Restart reads all destinations again from the start, because row ownership may have changed. Rows
// in flight stay in flight, and faults are kept.
func (w *Window) Restart() {
	for _, seq := range slices.Clone(w.order) {
		s := w.leave(seq, waiting)
		if s.fault == (Fault{}) {
			delete(w.rows, seq)
		} else { // read again at once
			w.rest(s, time.Time{})
		}
	}
	clear(w.read)
}

// Len returns the number of rows waiting or in flight, and of resting rows.
func (w *Window) Len() (held, resting int) { return w.held, w.rests }

// Passed reports whether a row of the outbox was passed over. It is valid between BeginPage and the
// end of that page.
func (w *Window) Passed(it returners.Item) bool {
	_, done := w.done[it.Seq]
	return it.Seq <= w.read[it.Dest] && !done && w.rows[it.Seq] == nil
}
