package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrNotStored is wrapped when records cannot be stored now. The sender retries.
var ErrNotStored = errors.New("not stored")

// storedWaits holds callbacks that wait for records to be stored. The zero value is ready.
type storedWaits struct {
	mu      sync.Mutex
	waits   []storedWait
	stored  uint64 // all records up to this sequence number are stored
	tried   uint64 // those behind it, up to this one, were not stored when failed was returned
	failed  error
	settled chan struct{}
}

type storedWait struct {
	upTo uint64
	then func(error)
}

// settle completes the waits up to upTo.
func (w *storedWaits) settle(upTo uint64, err error) {
	for _, then := range w.end(upTo, err) {
		then(err)
	}
}

// end removes the waits up to upTo and returns their callbacks.
func (w *storedWaits) end(upTo uint64, err error) (over []func(error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.stored = max(w.stored, upTo)
	} else {
		w.tried, w.failed = max(w.tried, upTo), err
	}
	rest := w.waits[:0]
	for _, x := range w.waits {
		if x.upTo <= upTo {
			over = append(over, x.then)
		} else {
			rest = append(rest, x)
		}
	}
	clear(w.waits[len(rest):])
	w.waits = rest
	if w.settled != nil {
		close(w.settled)
		w.settled = nil
	}
	return over
}

// next returns a channel closed by the next settle.
func (w *storedWaits) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.settled == nil {
		w.settled = make(chan struct{})
	}
	return w.settled
}

// add registers a wait, or returns a result already known.
func (w *storedWaits) add(upTo uint64, then func(error)) (err error, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case upTo <= w.stored:
		return nil, true
	//mutant:engine-part-stored-is-not-all
	case upTo <= w.tried:
		return w.failed, true
	default:
		w.waits = append(w.waits, storedWait{upTo, then})
		return nil, false
	}
}

// Settle applies a [Stored] effect: it completes the waits.
func (e *Engine) Settle(s Stored) { e.waits.settle(s.UpTo, s.Err) }

// WhenStored calls then once all records up to upTo are stored, or with an error that wraps
// [ErrNotStored]. It calls then at once if the result is known, otherwise from [Engine.Settle].
func (e *Engine) WhenStored(upTo uint64, then func(error)) {
	wrapped := func(err error) {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrNotStored, err)
		}
		then(err)
	}
	if err, known := e.waits.add(upTo, wrapped); known {
		wrapped(err)
	}
}

// WaitStored blocks until all records up to upTo are stored, ctx ends or the master shuts down.
// Its errors wrap [ErrNotStored].
func (e *Engine) WaitStored(ctx context.Context, upTo uint64) error {
	stored := make(chan error, 1)
	e.WhenStored(upTo, func(err error) { stored <- err })
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrNotStored, ctx.Err())
	case <-e.cfg.Done:
		return fmt.Errorf("%w: the master is shutting down", ErrNotStored)
	}
}

// WaitRoom blocks while the queue of records exceeds word_queue.
func (e *Engine) WaitRoom(ctx context.Context) error {
	for {
		again := e.waits.next() // before the check
		if e.Untried() <= e.cfg.Bounds.WordQueue {
			return nil
		}
		select {
		case <-again:
		case <-ctx.Done():
			return fmt.Errorf("wait for the job store: %w", ctx.Err())
		case <-e.cfg.Done:
			return errors.New("wait for the job store: the master is shutting down")
		}
	}
}
