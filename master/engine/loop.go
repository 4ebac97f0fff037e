package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/returners"
)

// Loop is what [Engine.Run] needs. No field may be left out.
type Loop struct {
	// Save commits to the job store.
	Save func(ctx context.Context, b returners.Batch) (returners.Result, error)
	// Do carries out an effect of another kind than [Stored]. It does not block.
	Do  func(e Effect)
	Log *slog.Logger
}

// Run carries out the effects, one after the other, and commits the records, many a commit,
// until ctx ends and either nothing waits to be stored or the disk takes nothing.
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
		if e.Waiting() > 0 {
			ring(e.unsaved)
		}
		select {
		case <-e.awake:
		case <-ctx.Done():
			return
		}
	}
}

// ring wakes whoever waits at a channel that holds one value.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const (
	// storeWait bounds a write, which must not be given up because the master ends.
	storeWait = 30 * time.Second
	// storePause lies between attempts to store what a full or absent disk has not
	// taken; what comes meanwhile is an attempt as well.
	storePause = 5 * time.Second
)

// store commits records until ctx ends and nothing waits.
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

// WriteContext bounds a write that must not be given up because the master ends.
func WriteContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeWait)
}
