package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
)

// records is the queue of rows and ends of jobs to be stored, in order. The end of a job follows
// all its rows. One batch is in flight at a time. While the disk is full or unavailable, records
// wait; the queue drops the oldest rows beyond word_queue and remembers the loss, so that the job
// is not stored as ended without them.
type records struct {
	most, batch int

	queue    []record
	last     uint64 // sequence number of the newest record
	inFlight int    // number of records at the front that are in the current batch
	tried    uint64 // newest record at the last failed commit

	losses uint64          // number of losses so far
	lost   map[string]loss // last loss by jid
	all    loss            // applies to all jobs not in lost
}

// record is a row to store, or the end of a job.
type record struct {
	seq   uint64
	row   returners.Expectation // no row if JID is empty
	notes []returners.Note
	// published marks a publication as sent. It is stored only while the publication is kept.
	published returners.Part

	opens        string // jid of a job that this record opens or reopens
	arrival      string // adopted minion; its arrival is reported once this is stored
	unrepeatable bool   // ends the queueing of a job: must precede the drop of its publication, because a restart cannot derive it again

	end    string // jid of a job that this record ends
	late   bool   // repeats the end of a closed job, after further reports
	since  uint64 // ignore losses up to this number
	noted  bool   // the end is in the current batch
	number uint64 // number of the end in reports; set with noted
}

// loss records a row that was not stored.
type loss struct {
	seq uint64
	err error
}

// errQueueFull is the reason of rows dropped because the queue exceeded word_queue while the disk
// was full or unavailable.
var errQueueFull = errors.New("queue of job records is full")

func newRecords(b bounds.Bounds) records {
	return records{most: b.WordQueue, batch: b.WordBatch, lost: map[string]loss{}}
}

func (w *records) put(e record) {
	w.last++
	e.seq = w.last
	w.queue = append(w.queue, e)
}

func (w *records) note(xs ...returners.Expectation) {
	for _, x := range xs {
		w.put(record{row: x})
	}
}

func (w *records) end(jid string, late bool) { w.put(record{end: jid, late: late}) }

// jobs returns the jids in the queue, unsorted, possibly repeated.
func (w *records) jobs() (out []string) {
	for _, e := range w.queue {
		if jid := cmp.Or(e.end, e.row.JID); jid != "" {
			out = append(out, jid)
		}
	}
	return out
}

// ofJob returns the queued rows of a job that may be reported before they are stored, because
// their senders repeat them. Arrivals are excluded: if this node died before storing one, no other
// node would report the minion's fate.
func (w *records) ofJob(jid string) (out []returners.Expectation) {
	for _, e := range w.queue {
		//mutant:engine-arrivals-are-reported-when-stored
		if e.row.JID == jid && e.arrival == "" {
			out = append(out, e.row)
		}
	}
	return out
}

// endsOrOpens reports whether the queue holds an end of the job or reopens it.
func (w *records) endsOrOpens(jid string) bool {
	return slices.ContainsFunc(w.queue, func(e record) bool { return e.end == jid || e.opens == jid })
}

// withdraw removes a queued arrival of a minion unless it is in flight.
func (w *records) withdraw(jid, id string) bool {
	rest := slices.DeleteFunc(w.queue[w.inFlight:], func(e record) bool { return e.opens == jid && e.arrival == id })
	was := len(w.queue)
	w.queue = w.queue[:w.inFlight+len(rest)]
	return len(w.queue) < was
}

// take starts a batch. It returns nil if one is in flight or the queue is empty.
func (w *records) take() []record {
	if w.inFlight > 0 || len(w.queue) == 0 {
		return nil
	}
	w.inFlight = min(w.batch, len(w.queue))
	return w.queue[:w.inFlight]
}

// stored removes the committed batch.
func (w *records) stored() {
	w.queue = slices.Delete(w.queue, 0, w.inFlight)
	w.inFlight = 0
}

// refused ends a batch that failed. On a temporary error its records are retried; otherwise its
// rows are dropped. It returns the jobs that lost a repeated end.
func (w *records) refused(err error) (unrepeated []string) {
	if !isTemporary(err) {
		for i := range w.queue[:w.inFlight] {
			if e := &w.queue[i]; e.row.JID != "" {
				w.lose(e.row.JID, err)
				*e = record{}
			}
		}
	}
	w.inFlight, w.tried = 0, w.last
	return w.trim()
}

// untried returns the number of records added since the last failed commit.
func (w *records) untried() int {
	i, _ := slices.BinarySearchFunc(w.queue, w.tried, func(e record, n uint64) int {
		if e.seq <= n {
			return -1
		}
		return 1
	})
	return len(w.queue) - i
}

// trim drops the oldest rows and repeated ends beyond the bound. Ends of jobs stay: they are small
// and no other node can repeat them. It returns the jobs of the repeated ends.
func (w *records) trim() (unrepeated []string) {
	rows, lates := 0, 0
	ends := map[string]bool{}
	for i := len(w.queue) - 1; i >= 0; i-- {
		e := &w.queue[i]
		gone := false
		switch {
		case e.seq == 0:
		case e.end == "" && e.row.JID == "": // notes alone are few
		//mutant:engine-queued-reasons-wait
		case e.arrival != "", e.unrepeatable: // cannot be repeated; bounded by adopted and queued jobs
		case e.end == "":
			if rows++; rows > w.most {
				w.lose(e.row.JID, errQueueFull)
				gone = true
			}
		case e.late:
			if lates++; lates > w.most {
				unrepeated = append(unrepeated, e.end)
				gone = true
			}
		default: // keep only the newest end of a reopened job
			gone = ends[e.end]
			ends[e.end] = true
		}
		if gone {
			*e = record{}
		}
	}
	w.queue = slices.DeleteFunc(w.queue, func(e record) bool { return e.seq == 0 })
	return unrepeated
}

func (w *records) lose(jid string, why error) {
	w.losses++
	l := loss{w.losses, why}
	if _, known := w.lost[jid]; !known && len(w.lost) >= w.most { // from here on, every ending job counts as having lost records
		w.all = loss{l.seq, errQueueFull}
		clear(w.lost)
		return
	}
	w.lost[jid] = l
}

// lossFor returns why the end e cannot be stored, or nil: a row of the job was lost and not sent
// again since.
func (w *records) lossFor(e record) error {
	if e.late { // the sender repeats what is lost
		return nil
	}
	l := w.lost[e.end]
	if l.seq < w.all.seq {
		l = w.all
	}
	//mutant:engine-end-after-reports
	if l.seq <= e.since {
		return nil
	}
	return l.err
}

// isTemporary reports whether err means a full or unavailable disk.
func isTemporary(err error) bool {
	return errors.Is(err, returners.ErrFull) || errors.Is(err, returners.ErrUnavailable)
}

// endsJob reports whether the first end of a job is queued.
func (w *records) endsJob(jid string) bool {
	return slices.ContainsFunc(w.queue, func(e record) bool { return e.end == jid && !e.late })
}
