package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/returners"
)

// Loop holds the callbacks of [Engine.Run]. All fields are required.
type Loop struct {
	// Save commits a batch to the job store. It may block.
	Save func(ctx context.Context, b returners.Batch) (returners.Result, error)
	// Do carries out an effect other than [Stored]. It must not block.
	Do  func(e Effect)
	Log *slog.Logger
}

// Run carries out effects one by one and commits records in batches. It returns when ctx has ended
// and the queue is empty or the disk is full or unavailable.
func (e *Engine) Run(ctx context.Context, l Loop) {
	var wg sync.WaitGroup
	wg.Go(func() { e.carryOut(ctx, l) })
	wg.Go(func() { e.store(ctx, l) })
	wg.Wait()
}

func (e *Engine) carryOut(ctx context.Context, l Loop) {
	for {
		for es := e.Ready(); len(es) > 0; es = e.Ready() {
			for _, x := range es {
				if s, is := x.(Stored); is {
					e.Settle(s)
				} else {
					l.Do(x)
				}
			}
		}
		if e.Unsaved() > 0 {
			ring(e.unsaved)
		}
		select {
		case <-e.awake:
		case <-ctx.Done():
			return
		}
	}
}

// ring wakes the receiver of a channel with capacity 1.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const (
	// storeWait bounds a commit. Shutdown does not cancel it.
	storeWait = 30 * time.Second
	// storePause is the retry interval while the disk is full or unavailable. A new record also
	// causes a retry.
	storePause = 5 * time.Second
)

// store commits records until ctx has ended and none waits.
func (e *Engine) store(ctx context.Context, l Loop) {
	failing := false
	for {
		s, some := e.NextSave()
		if some {
			err := e.commit(s, l)
			if err != nil && !failing {
				l.Log.Error("job records not stored", "rows", s.Batch.Rows(), "err", err)
			}
			if failing = err != nil; !failing {
				continue
			}
		}
		if ctx.Err() != nil {
			return
		}
		var again <-chan time.Time
		if failing {
			again = time.After(storePause)
		}
		select {
		case <-e.unsaved:
		case <-again:
		case <-ctx.Done():
		}
	}
}

func (e *Engine) commit(s Save, l Loop) error {
	ctx, cancel := WriteContext()
	defer cancel()
	res, err := l.Save(ctx, s.Batch)
	e.Saved(s, res, err)
	return err
}

// WriteContext returns a context for a commit, independent of shutdown.
func WriteContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeWait)
}
