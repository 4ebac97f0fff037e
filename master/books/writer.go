package books

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/returners"
)

// entry is what the books are told: an expectation, who hears what became of all
// before it, or what is to be done when all before it is stored. Neither function
// may wait nor ask the ledger, whose hooks may be waiting for room in the books.
type entry struct {
	x    returners.Expectation // without a jid: none
	then func(error)
	end  func() error
	jid  string // that end is about
}

const (
	// storeWait bounds a write, which must not be given up because the master ends.
	storeWait = 30 * time.Second
	// retryPause lies between attempts to store what a full or absent disk has not
	// taken; what comes meanwhile is an attempt as well. As much is owed at most as
	// may wait.
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

	trouble error            // of the last end that failed
	lost    map[string]error // by jid: what the store will never take
}

// NewWriter makes one that takes entries until ctx ends. [Writer.Run] writes them.
// b says how many may wait (word_queue) and share a commit (word_batch).
func NewWriter(ctx context.Context, s Store, b bounds.Bounds, log *slog.Logger) *Writer {
	b = b.OrDefault()
	return &Writer{ctx: ctx, store: s, log: log, queue: newQueue(), most: b.WordQueue, batch: b.WordBatch, lost: map[string]error{}}
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
// takes, and again until it succeeds. What holds for fn in Then holds here.
func (w *Writer) End(jid string, fn func() error) { w.enter(entry{end: fn, jid: jid}) }

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
	for _, e := range all {
		switch {
		case e.then != nil:
			e.then(err)
		case err != nil && passing(err):
			w.owed = append(w.owed, e)
		case e.end == nil && err != nil:
			w.lose(e.x.JID, err)
		case e.end != nil:
			w.finish(e)
		}
	}
	if n := len(w.owed) - w.most; n > 0 {
		w.letGo(w.owed[:n], errTooMany)
		w.owed = slices.Clone(w.owed[n:])
	}
}

// finish ends a job, unless something of it is lost.
func (w *Writer) finish(e entry) {
	if why, lost := w.lost[e.jid]; lost {
		delete(w.lost, e.jid)
		w.letGo([]entry{e}, why)
		return
	}
	if w.trouble = e.end(); w.trouble != nil {
		w.owed = append(w.owed, e)
	}
}

func (w *Writer) lose(jid string, why error) {
	if len(w.lost) >= w.most { // of jobs that do not end: no restart looks at more
		clear(w.lost)
	}
	w.lost[jid] = why
}

var errTooMany = errors.New("too much could not be stored")

// passing tells whether an error of the store is one of a full or absent disk.
func passing(err error) bool {
	return errors.Is(err, returners.ErrFull) || errors.Is(err, returners.ErrUnavailable)
}

// letGo tells of the ends of jobs that this life of the master does not write down.
func (w *Writer) letGo(es []entry, err error) {
	for _, e := range es {
		if e.end == nil {
			w.lose(e.x.JID, err)
		} else {
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
