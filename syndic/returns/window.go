package returns

import (
	"slices"
	"time"

	"github.com/momtree/mom/returners"
)

// Window holds the rows of an outbox that one master above is being given, as a
// leader of raft keeps its progress with a follower: rows are read in order while
// there is room, taken by number, under way by number, given back when they were not
// taken, and let go when the master has acknowledged them. What has been read is in
// the window until it is done, so that no place in the outbox is passed while
// something before it is owed. A row that is refused rests in the window by its
// number alone, and is read again when its time has come.
//
// It does no I/O, has no goroutine and no clock, and is not safe for concurrent use.
type Window struct {
	o WindowOptions

	read     map[string]int64 // by destination: rows up to here are in the window, done, or another's
	rows     map[int64]*slot
	order    []int64        // those that wait, in their order
	inFlight map[string]int // rows under way, by job
	held     int            // rows that wait or are under way
	bytes    int            // and their payload
	rests    int            // rows that rest
	wakes    time.Time      // when the first of them is due; zero: none rests

	landed map[int64]struct{} // done while a page is being read; nil: none is
	doubt  bool               // rows that were never refused alone go first
}

// WindowOptions bound a [Window]. All are needed.
type WindowOptions struct {
	Rows, Bytes int // that wait or are under way; one larger row passes alone
	Resting     int // rows that rest
}

// slot is one row in the window.
type slot struct {
	it    returners.Item // while it rests: without what it carries
	state slotState
	fault Fault
	until time.Time // it rests so long
}

type slotState uint8

const (
	waiting  slotState = iota
	inFlight           // in a request
	resting
)

// Fault is what is remembered of a row that was refused.
type Fault struct {
	Strikes int       // how often it was refused alone
	Taken   uint64    // what the master had taken when it was refused first
	Since   time.Time // when the master left it first; zero: never
}

// NewWindow makes one that has read nothing.
func NewWindow(o WindowOptions) *Window {
	return &Window{o: o, read: map[string]int64{}, rows: map[int64]*slot{}, inFlight: map[string]int{}}
}

// Room is how many rows and bytes the next page may have; 0 rows: the window is
// full. recall: it is a page of rows that rest.
func (w *Window) Room(recall bool) (rows, bytes int) {
	if !recall && w.rests >= w.o.Resting || w.held > 0 && w.bytes >= w.o.Bytes {
		return 0, 0
	}
	return max(w.o.Rows-w.held, 0), max(w.o.Bytes-w.bytes, 1)
}

// BeginPage says after which row of a destination the next page begins. Every page
// that begins is ended by EndPage, or by DropPage if it could not be read.
func (w *Window) BeginPage(dest string) (after int64) {
	w.landed = map[int64]struct{}{}
	return w.read[dest]
}

// EndPage takes in the page that was read. mine are the rows of it that go to this
// master; the others are passed until Restart.
func (w *Window) EndPage(dest string, page []returners.Item, mine func(i int) bool) {
	for i := range page {
		it := &page[i]
		w.read[dest] = max(w.read[dest], it.Seq)
		//mutant:simulated-window,page-fits-the-window
		if _, done := w.landed[it.Seq]; done || w.rows[it.Seq] != nil || !mine(i) {
			continue
		}
		w.rows[it.Seq] = &slot{it: *it}
		w.wait(w.rows[it.Seq])
	}
	w.landed = nil
}

// DropPage ends a page that could not be read.
func (w *Window) DropPage() { w.landed = nil }

func (w *Window) wait(s *slot) {
	s.state = waiting
	w.held++
	w.bytes += len(s.it.Payload)
	i, _ := slices.BinarySearch(w.order, s.it.Seq)
	w.order = slices.Insert(w.order, i, s.it.Seq)
}

// Ready counts the rows that can be taken. apart: none of a job with rows under way.
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

// Take takes rows for one request, the oldest first: at most so many and, beyond the
// first, so many bytes. apart: none of a job with rows under way. A row that was
// refused alone before is taken alone, and behind the others while the master is in
// doubt.
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

// Back gives rows under way back: they wait again.
func (w *Window) Back(rows ...returners.Item) {
	for _, it := range rows {
		if s := w.leave(it.Seq, inFlight); s != nil {
			//mutant:refused-rows-are-resent
			w.wait(s)
		}
	}
}

// Done lets rows go: they were acknowledged, or set aside.
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
	if w.landed != nil {
		w.landed[seq] = struct{}{}
	}
}

// leave takes a row out of the state that it is in; nil if it is in another one.
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

// Restart goes back to the start of all destinations: rows may have come to be this
// master's, or another one's. What is under way stays so, and what is known of rows
// that were refused is kept.
func (w *Window) Restart() {
	for _, seq := range slices.Clone(w.order) {
		s := w.leave(seq, waiting)
		if s.fault == (Fault{}) {
			delete(w.rows, seq)
		} else { // it is read again at once
			w.rest(s, time.Time{})
		}
	}
	clear(w.read)
}

// Len tells how many rows wait or are under way, and how many rest.
func (w *Window) Len() (held, resting int) { return w.held, w.rests }

// Passed tells whether a row that is in the outbox is one that the window has
// passed. It holds between BeginPage and the end of that page, for rows of it.
func (w *Window) Passed(it returners.Item) bool {
	_, done := w.landed[it.Seq]
	return it.Seq <= w.read[it.Dest] && !done && w.rows[it.Seq] == nil
}
