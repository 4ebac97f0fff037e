package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
)

// words are what was said of jobs and has to be stored, in the order in which it was
// said; and the ends of jobs, each of which goes to the disk behind all that was said of
// the job. One batch of them is under way at a time. While the disk takes nothing they
// wait, and as many are kept as may wait (bound word_queue): a word that had to be let go
// is remembered, so that its job does not end on disk without it.
type words struct {
	most, batch int

	queue []record
	last  uint64 // number of the newest
	aloft int    // entries at the front that are in the batch under way
	tried uint64 // number of the newest that was there when the disk took none

	losses uint64          // counts words that were let go
	lost   map[string]loss // by jid: the last of them
	all    loss            // of jobs that are not in it any more
}

// record is a row to be stored, or the end of a job.
type record struct {
	n     uint64
	x     returners.Expectation // without a jid: none
	notes []returners.Note
	// published names a publication that was handed out: noted unless that is kept no more by
	// then.
	published returners.Part

	opens string // jid of a job that is open, or open again, from here on
	came  string // the minion that came at work on it: the masters above hear so when it is stored
	last  bool   // why minions do not answer for whom a job was queued: its publication goes behind it, and a restart does not find it again

	end   string // jid of a job that ends
	late  bool   // of a closed job: word on it came after its end
	since uint64 // losses that are no matter for end
	noted bool   // in the batch under way: that the job ends is in it
	word  uint64 // in the batch under way: the number under which the masters above hear the end
}

// loss is a word that was not stored.
type loss struct {
	n   uint64
	why error
}

// errTooMany: more words than may wait were owed by a disk that took none.
var errTooMany = errors.New("too much could not be stored")

func newWords(b bounds.Bounds) words {
	return words{most: b.WordQueue, batch: b.WordBatch, lost: map[string]loss{}}
}

func (w *words) put(e record) {
	w.last++
	e.n = w.last
	w.queue = append(w.queue, e)
}

func (w *words) note(xs ...returners.Expectation) {
	for _, x := range xs {
		w.put(record{x: x})
	}
}

func (w *words) end(jid string, late bool) { w.put(record{end: jid, late: late}) }

// jobs gives the jobs that something is to be stored of.
func (w *words) jobs() (out []string) {
	for _, e := range w.queue {
		if jid := cmp.Or(e.end, e.x.JID); jid != "" {
			out = append(out, jid)
		}
	}
	return out
}

// of gives the rows of a job that are to be stored, and may be told before: whoever has said
// them says them again. Not so that a minion came at work: if this node died before that is
// stored, nobody would tell what has become of the minion since.
func (w *words) of(jid string) (out []returners.Expectation) {
	for _, e := range w.queue {
		//mutant:engine-arrivals-are-reported-when-stored
		if e.x.JID == jid && e.came == "" {
			out = append(out, e.x)
		}
	}
	return out
}

// more tells whether a job ends in what is to be stored, or is open again.
func (w *words) more(jid string) bool {
	return slices.ContainsFunc(w.queue, func(e record) bool { return e.end == jid || e.opens == jid })
}

// withdraw takes back that a minion came at work on a job, unless that is under way.
func (w *words) withdraw(jid, id string) bool {
	rest := slices.DeleteFunc(w.queue[w.aloft:], func(e record) bool { return e.opens == jid && e.came == id })
	was := len(w.queue)
	w.queue = w.queue[:w.aloft+len(rest)]
	return len(w.queue) < was
}

// take begins a batch; nil: one is under way, or nothing waits.
func (w *words) take() []record {
	if w.aloft > 0 || len(w.queue) == 0 {
		return nil
	}
	w.aloft = min(w.batch, len(w.queue))
	return w.queue[:w.aloft]
}

// stored ends a batch that was committed.
func (w *words) stored() {
	w.queue = slices.Delete(w.queue, 0, w.aloft)
	w.aloft = 0
}

// refused ends a batch that was not. What waits is tried again if the disk is full or
// away; else its rows can never be stored, and are let go.
func (w *words) refused(err error) {
	if !passing(err) {
		for i := range w.queue[:w.aloft] {
			if e := &w.queue[i]; e.x.JID != "" {
				w.lose(e.x.JID, err)
				*e = record{}
			}
		}
	}
	w.aloft, w.tried = 0, w.last
	w.trim()
}

// untried counts those that came since the disk took none: they are about to be stored,
// or to be told of.
func (w *words) untried() int {
	i, _ := slices.BinarySearchFunc(w.queue, w.tried, func(e record, n uint64) int {
		if e.n <= n {
			return -1
		}
		return 1
	})
	return len(w.queue) - i
}

// trim lets the oldest words go that are too many, and late ends. The ends of jobs stay:
// each is as much as a jid, and nobody else knows that they are due.
func (w *words) trim() {
	rows, lates := 0, 0
	ends := map[string]bool{}
	for i := len(w.queue) - 1; i >= 0; i-- {
		e := &w.queue[i]
		gone := false
		switch {
		case e.n == 0:
		case e.end == "" && e.x.JID == "": // notes are few
		//mutant:engine-queued-reasons-wait
		case e.came != "", e.last: // nobody says it again; who may bring how many, and how many are queued, is bounded
		case e.end == "":
			if rows++; rows > w.most {
				w.lose(e.x.JID, errTooMany)
				gone = true
			}
		case e.late:
			lates++
			gone = lates > w.most
		default: // it may have been opened again, and closed
			gone = ends[e.end]
			ends[e.end] = true
		}
		if gone {
			*e = record{}
		}
	}
	w.queue = slices.DeleteFunc(w.queue, func(e record) bool { return e.n == 0 })
}

func (w *words) lose(jid string, why error) {
	w.losses++
	l := loss{w.losses, why}
	if _, known := w.lost[jid]; !known && len(w.lost) >= w.most { // then each job that ends is looked at
		w.all = loss{l.n, errTooMany}
		clear(w.lost)
		return
	}
	w.lost[jid] = l
}

// lossOf gives why the end of a job cannot be stored: a word on it is lost that was not
// said anew since.
func (w *words) lossOf(e record) error {
	if e.late { // what came late and is lost comes again
		return nil
	}
	l := w.lost[e.end]
	if l.n < w.all.n {
		l = w.all
	}
	//mutant:engine-end-after-reports
	if l.n <= e.since {
		return nil
	}
	return l.why
}

// passing tells whether an error of the store is one of a full or absent disk.
func passing(err error) bool {
	return errors.Is(err, returners.ErrFull) || errors.Is(err, returners.ErrUnavailable)
}

// ends tells whether the end of a job is to be stored.
func (w *words) ends(jid string) bool {
	return slices.ContainsFunc(w.queue, func(e record) bool { return e.end == jid && !e.late })
}
