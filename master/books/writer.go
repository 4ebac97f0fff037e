package books

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/returners"
)

// entry is what the books are told: an expectation, unless it has no jid, and who
// hears when it and all before it are stored. then must neither wait nor ask the
// ledger, whose hooks may be waiting for room in the books.
type entry struct {
	x    returners.Expectation
	then func(error)
}

const (
	// queueSize bounds what waits to be written.
	queueSize = 4096
	// batchSize bounds what is written in one commit.
	batchSize = 500
	// storeWait bounds a write, which must not be given up because the master ends.
	storeWait = 30 * time.Second
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
	queue chan entry
}

// NewWriter makes one that takes entries until ctx ends. [Writer.Run] writes them.
func NewWriter(ctx context.Context, s Store, log *slog.Logger) *Writer {
	return &Writer{ctx: ctx, store: s, log: log, queue: make(chan entry, queueSize)}
}

// Note has an expectation written.
func (w *Writer) Note(x returners.Expectation) { w.enter(entry{x: x}) }

// Then calls fn when all that was noted before is stored, or could not be. fn must
// neither wait nor ask the ledger, whose hooks may be waiting for room in the books.
func (w *Writer) Then(fn func(error)) { w.enter(entry{then: fn}) }

func (w *Writer) enter(e entry) {
	select {
	case w.queue <- e:
	case <-w.ctx.Done():
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
		var batch []entry
		select {
		case e := <-w.queue:
			batch = append(batch, e)
		case <-w.ctx.Done():
		}
	more:
		for len(batch) < batchSize {
			select {
			case e := <-w.queue:
				batch = append(batch, e)
			default:
				break more
			}
		}
		if len(batch) == 0 {
			return
		}
		err := w.save(batch)
		for _, e := range batch {
			if e.then != nil {
				e.then(err)
			}
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
	err := w.store.SaveExpectations(ctx, xs...)
	if err != nil {
		w.log.Error("The expectations of jobs could not be stored", "count", len(xs), "jid", xs[0].JID, "err", err)
	}
	return err
}
