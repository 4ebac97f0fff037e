package driver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/master/jobs"
	"github.com/momtree/mom/returners"
)

// Options of a [Driver]. None may be left out.
type Options struct {
	Ctx    context.Context //nolint:containedctx // ends when the master begins to close
	Engine *jobs.Engine
	// Save commits to the job store.
	Save func(ctx context.Context, b returners.Batch) (returners.Result, error)
	// Do carries out an effect of another kind than [jobs.Stored]. It does not wait.
	Do func(e jobs.Effect)
	// Waiting bounds the words that wait to be stored: bound word_queue.
	Waiting int
	Log     *slog.Logger
}

// Driver drives one engine.
type Driver struct {
	o       Options
	bell    Bell
	unsaved chan struct{} // rung when the engine has words to be stored
	stored  storedWaits
}

// Bell wakes a driver. An engine has one from the start, before it is driven.
type Bell chan struct{}

// NewBell makes one.
func NewBell() Bell { return make(Bell, 1) }

// Ring says that the engine has effects.
func (b Bell) Ring() { ring(b) }

// ring wakes who waits at a channel that holds one value.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// New makes the driver of an engine that rings the bell.
func New(b Bell, o Options) *Driver {
	return &Driver{o: o, bell: b, unsaved: make(chan struct{}, 1)}
}

// Run drives the engine until the master ends.
func (d *Driver) Run() {
	var wg sync.WaitGroup
	wg.Go(d.carryOut)
	wg.Go(d.storeWords)
	wg.Wait()
}

// carryOut does what the engine wants done, one after the other.
func (d *Driver) carryOut() {
	for {
		for es := d.o.Engine.Ready(); len(es) > 0; es = d.o.Engine.Ready() {
			for _, e := range es {
				if s, is := e.(jobs.Stored); is {
					d.stored.tell(s.UpTo, s.Err)
				} else {
					d.o.Do(e)
				}
			}
		}
		if d.o.Engine.Waiting() > 0 {
			ring(d.unsaved)
		}
		select {
		case <-d.bell:
		case <-d.o.Ctx.Done():
			return
		}
	}
}

const (
	// storeWait bounds a write, which must not be given up because the master ends.
	storeWait = 30 * time.Second
	// storePause lies between attempts to store what a full or absent disk has not
	// taken; what comes meanwhile is an attempt as well.
	storePause = 5 * time.Second
)

// storeWords stores what is said of jobs, many words a commit, until the master ends and
// nothing waits.
func (d *Driver) storeWords() {
	failing := false
	for {
		s, some := d.o.Engine.NextSave()
		if some {
			err := d.storeBatch(s)
			if err != nil && !failing {
				d.o.Log.Error("job records not stored", "rows", s.Batch.Rows(), "err", err)
			}
			if failing = err != nil; !failing {
				continue
			}
		}
		if d.o.Ctx.Err() != nil {
			return
		}
		var again <-chan time.Time
		if failing {
			again = time.After(storePause)
		}
		select {
		case <-d.unsaved:
		case <-again:
		case <-d.o.Ctx.Done():
		}
	}
}

func (d *Driver) storeBatch(s jobs.Save) error {
	ctx, cancel := Write()
	defer cancel()
	res, err := d.o.Save(ctx, s.Batch)
	d.o.Engine.Saved(s, res, err)
	return err
}

// Write bounds a write that must not be given up because the master ends.
func Write() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), storeWait)
}
