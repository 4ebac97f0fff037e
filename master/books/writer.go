package books

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
)

// entry is what the books are told: an expectation, who hears what became of all
// before it, or what is to be done when all before it is stored. Neither function
// may wait nor ask the ledger, whose hooks may be waiting for room in the books.
type entry struct {
	x     returners.Expectation // without a jid: none
	then  func(error)
	end   func() error
	jid   string // that end is about
	late  bool   // end is about late word of a closed job
	since uint64 // what was lost until then is no matter for end
}

const (
	// storeWait bounds a write, which must not be given up because the master ends.
	storeWait = 30 * time.Second
	// retryPause lies between attempts to store what a full or absent disk has not
	// taken; what comes meanwhile is an attempt as well. As many words are owed at
	// most as may wait.
	retryPause = 5 * time.Second
)

// Store is where expectations are kept.
type Store interface {
	SaveExpectations(ctx context.Context, xs ...returners.Expectation) error
}

// Writer hands what is worth keeping about jobs to the one goroutine that writes
// it.
type Writer struct {
	ctx   context.Context //nolint:containedctx // the life of the master
	store Store
	log   *slog.Logger
	batch int     // entries of one commit
	most  int     // entries that may wait before others are asked to
	owed  []entry // could not be stored, and will be
	queue *queue

	trouble error           // of the last end that failed
	lost    map[string]loss // by jid: the last word that was not stored
	all     loss            // of jobs that are not in it any more
	again   func(jids []string)

	mu     sync.Mutex
	losses uint64 // counts words that were not stored
}

// loss is a word that was not stored.
type loss struct {
	n   uint64 // which one it was
	why error
}

// NewWriter makes one that takes entries until ctx ends. [Writer.Run] writes them.
// b says how many may wait (word_queue) and share a commit (word_batch).
//
// again is told of jobs whose end is due, and of which words were let go because more
// than may wait were owed by a full disk; the disk takes something again. It has them
// noted anew, and ended by [Writer.EndSince]. It must not wait. nil: nobody does so.
func NewWriter(ctx context.Context, s Store, b bounds.Bounds, log *slog.Logger, again func(jids []string)) *Writer {
	b = b.OrDefault()
	return &Writer{ctx: ctx, store: s, log: log, queue: newQueue(), most: b.WordQueue, batch: b.WordBatch, lost: map[string]loss{}, again: again}
}

// Note has an expectation written. Neither it nor Then nor End waits: the ledger's hooks
// call them, and a disk that stands still must not stop the ledger. What makes words waits
// beforehand, by [Writer.Room].
func (w *Writer) Note(x returners.Expectation) { w.enter(entry{x: x}) }

// Then calls fn when all that was noted before is stored, or could not be just now.
// fn must neither wait nor ask the ledger, whose hooks may be waiting for room in the
// books.
func (w *Writer) Then(fn func(error)) { w.enter(entry{then: fn}) }

// End has fn end the job when all that was noted before is stored, however long that
// takes, and again until it succeeds. What holds for fn in Then holds here. While a disk
// is full no job is opened, so no more ends are owed than jobs were open before.
func (w *Writer) End(jid string, fn func() error) { w.EndSince(jid, 0, fn) }

// EndSince is End of a job of which all was noted anew since so many words were lost, as
// [Writer.Losses] has said before.
func (w *Writer) EndSince(jid string, losses uint64, fn func() error) {
	w.enter(entry{end: fn, jid: jid, since: losses})
}

// Late is End for late word of a closed job, which comes again if it could not be
// stored. As many are owed as words may wait.
func (w *Writer) Late(jid string, fn func() error) { w.enter(entry{end: fn, jid: jid, late: true}) }

// Losses counts the words that were not stored.
func (w *Writer) Losses() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.losses
}

func (w *Writer) enter(e entry) { w.queue.put(e) }

// Room waits until no more words wait to be written than may (bound word_queue).
func (w *Writer) Room(ctx context.Context) error {
	select {
	case <-w.queue.below(w.most):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait until words of jobs are written: %w", ctx.Err())
	case <-w.ctx.Done():
		return fmt.Errorf("wait until words of jobs are written: %w", w.ctx.Err())
	}
}

// Wait waits until all that was noted before is stored.
func (w *Writer) Wait(ctx context.Context) error {
	done := make(chan error, 1)
	w.Then(func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run writes what was noted, many entries per commit, until the
// master ends and the queue is empty.
func (w *Writer) Run() {
	for {
		batch := w.next()
		if len(batch) == 0 && w.ctx.Err() != nil {
			w.letGo(w.owed, w.ctx.Err())
			return
		}
		w.write(batch)
	}
}

// next waits for entries, or for the time to try once more.
func (w *Writer) next() []entry {
	var again <-chan time.Time
	if len(w.owed) > 0 {
		again = time.After(retryPause)
	}
	select {
	case <-w.queue.some:
	case <-again:
		return nil
	case <-w.ctx.Done():
	}
	return w.queue.take(w.batch)
}

// write stores what is owed and what is new, in that order.
func (w *Writer) write(batch []entry) {
	all := slices.Concat(w.owed, batch)
	known := len(w.owed) > 0 // the trouble has been told
	w.owed = nil
	err := w.save(all)
	if err != nil && !known {
		w.log.Error("The expectations of jobs could not be stored", "count", len(all), "again", passing(err), "err", err)
	}
	var again []string
	for _, e := range all {
		switch {
		case e.then != nil:
			e.then(err)
		case err != nil && passing(err):
			w.owed = append(w.owed, e)
		case e.end == nil && err != nil:
			w.lose(e.x.JID, err)
		case e.end != nil && w.finish(e):
			again = append(again, e.jid)
		}
	}
	w.trim()
	if len(again) > 0 && w.again != nil {
		w.again(again)
	}
}

// finish ends a job, unless something of it is lost. again: it was let go, and can be
// stored now.
func (w *Writer) finish(e entry) (again bool) {
	if !e.late { // what came late and is lost comes again
		l := w.lossOf(e.jid)
		delete(w.lost, e.jid)
		if l.n > e.since {
			if again = errors.Is(l.why, errTooMany); !again {
				w.letGo([]entry{e}, l.why)
			}
			return again
		}
	}
	if w.trouble = e.end(); w.trouble != nil {
		w.owed = append(w.owed, e)
	}
	return false
}

// lossOf gives what was lost last of a job.
func (w *Writer) lossOf(jid string) loss {
	if l := w.lost[jid]; l.n > w.all.n {
		return l
	}
	return w.all
}

func (w *Writer) lose(jid string, why error) {
	w.mu.Lock()
	w.losses++
	l := loss{w.losses, why}
	w.mu.Unlock()
	if _, known := w.lost[jid]; !known && len(w.lost) >= w.most { // then each job that ends is looked at
		w.all = loss{l.n, errTooMany}
		clear(w.lost)
		return
	}
	w.lost[jid] = l
}

var errTooMany = errors.New("too much could not be stored")

// passing tells whether an error of the store is one of a full or absent disk.
func passing(err error) bool {
	return errors.Is(err, returners.ErrFull) || errors.Is(err, returners.ErrUnavailable)
}

// trim lets the oldest words go that are too many, and late ones. The ends of jobs stay:
// each is as much as a jid, and nobody else knows that they are due.
func (w *Writer) trim() {
	words, lates := 0, 0
	ends := map[string]bool{}
	for i := len(w.owed) - 1; i >= 0; i-- {
		e := &w.owed[i]
		gone := false
		switch {
		case e.end == nil:
			if words++; words > w.most {
				w.lose(e.x.JID, errTooMany)
				gone = true
			}
		case e.late:
			if lates++; lates > w.most {
				gone = true
			}
		default: // it may have been opened again, and closed
			gone = ends[e.jid]
			ends[e.jid] = true
		}
		if gone {
			*e = entry{}
		}
	}
	w.owed = slices.DeleteFunc(w.owed, func(e entry) bool { return e.end == nil && e.x.JID == "" })
}

// letGo tells of the ends of jobs that this life of the master does not write down.
func (w *Writer) letGo(es []entry, err error) {
	for _, e := range es {
		if e.end != nil {
			w.log.Error("A closed job will be looked at again after a restart", "jid", e.jid, "err", errors.Join(err, w.trouble))
		}
	}
}

func (w *Writer) save(batch []entry) error {
	var xs []returners.Expectation
	for _, e := range batch {
		if e.x.JID != "" {
			xs = append(xs, e.x)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	return w.store.SaveExpectations(ctx, xs...)
}
