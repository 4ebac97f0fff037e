package batches

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

const (
	// eventsWaiting is the maximum number of queued events of a batch. Overflow ends the
	// subscription, and the job store is read instead.
	eventsWaiting = 4096
	// retryAfter is the delay before a slice is published again.
	retryAfter = 5 * time.Second
	// lookEvery is the interval for reading the account without events.
	lookEvery = 15 * time.Second
	// writeEvery is the maximum age of unwritten state.
	writeEvery = time.Second
)

// batch is a batch driven by this master.
type batch struct {
	s       *Service
	sub     *bus.Subscription
	stopped chan string // the reason
	lease   *lease      // nil: not written
	fresh   bool        // not announced yet

	mu   sync.Mutex // guards core and st, which one goroutine changes
	core Core
	st   *batchstate.State // state of core

	written time.Time // the last write
	dirty   bool      // unwritten changes
}

func (b *batch) summary() *wire.Map {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.st.Summary(b.s.o.Now())
}

func (b *batch) snapshot() *batchstate.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &batchstate.State{JID: b.st.JID, Pending: slices.Clone(b.st.Pending), Active: maps.Clone(b.st.Active), Halted: b.st.Halted}
}

// halt ends the batch. The first reason wins.
func (b *batch) halt(reason string) {
	select {
	case b.stopped <- reason:
	default:
	}
}

func (b *batch) listen() *bus.Subscription {
	return b.s.o.Bus.Subscribe(bus.SubscribeOptions{Prefix: jobevent.Prefix + b.st.JID + "/", Size: eventsWaiting, Match: func(e bus.Event) bool {
		_, kind, _, ok := jobevent.Parse(e.Tag)
		return ok && (kind == jobevent.KindReturn || kind == jobevent.KindMissing || kind == jobevent.KindComplete)
	}})
}

// run drives the batch until it is over or ctx ends.
func (b *batch) run(ctx context.Context) {
	defer func() { b.sub.Close() }()
	if b.fresh {
		b.s.o.Fire(b.st.NewEvent())
	}
	for err := b.catchUp(ctx); err != nil && ctx.Err() == nil; err = b.catchUp(ctx) {
		b.s.o.Log.Error("saved batch slices not read", "jid", b.st.JID, "err", err)
		_ = timing.Sleep(ctx, retryAfter)
	}
	n := b.look(ctx)
	for {
		if !b.holds() {
			return
		}
		b.advance(ctx, n)
		if ctx.Err() != nil {
			b.write()
			return
		}
		if b.st.Over() {
			b.end()
			return
		}
		n = b.await(ctx)
	}
}

// catchUp updates a restored state from the stored job.
func (b *batch) catchUp(ctx context.Context) error {
	named, err := b.s.o.Published(ctx, b.st.JID)
	if err != nil {
		return err
	}
	slices.Sort(named)
	b.mu.Lock()
	lost := b.core.CatchUp(named, b.s.o.Now())
	b.mu.Unlock()
	//mutant:batch-lost-slices-are-published
	if len(lost) > 0 {
		b.publish(ctx, lost)
	}
	return nil
}

// advance applies n, and publishes while there is room and no further outcomes are known.
func (b *batch) advance(ctx context.Context, n batchstate.Outcomes) {
	now := b.s.o.Now()
	b.mu.Lock()
	begin := b.core.Step(n, now)
	b.mu.Unlock()
	b.dirty = true
	if len(begin) > 0 {
		if b.core.WriteFirst() {
			b.write()
		}
		b.publish(ctx, begin)
	}
	if len(begin) > 0 || !n.Empty() {
		b.s.o.Fire(b.st.ProgressEvent())
	}
	if b.dirty && (now.Sub(b.written) >= writeEvery || b.st.Over()) {
		b.write()
	}
}

// publish publishes a slice.
func (b *batch) publish(ctx context.Context, ids []string) {
	_, err := b.s.o.Publish(ctx, b.st, ids)
	if err == nil {
		return
	}
	if ctx.Err() != nil && !errors.Is(err, ErrNobody) {
		err = fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
	if b.core.NotPublished(ids, err, b.s.o.Now()) {
		b.s.o.Log.Warn("slice of a batch not published, trying again", "jid", b.st.JID, "minions", len(ids), "err", err)
	}
}

// await blocks until an outcome or event arrives, or a step is due.
func (b *batch) await(ctx context.Context) batchstate.Outcomes {
	due := min(lookEvery, renewEvery)
	if soon, some := b.core.Due(b.s.o.Now()); some {
		due = min(due, soon)
	}
	if b.dirty {
		due = min(due, writeEvery)
	}
	if due <= 0 {
		return batchstate.Outcomes{}
	}
	timer := time.NewTimer(due)
	defer timer.Stop()
	select {
	case e, ok := <-b.sub.C():
		if !ok {
			return b.lost(ctx)
		}
		return b.hear(ctx, e)
	case reason := <-b.stopped:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.st.Halt(reason)
		return batchstate.Outcomes{}
	case <-timer.C:
		if due == lookEvery { // nothing else is due
			return b.look(ctx)
		}
		return batchstate.Outcomes{}
	case <-ctx.Done():
		return batchstate.Outcomes{}
	}
}

// lost resubscribes after an overflow.
func (b *batch) lost(ctx context.Context) batchstate.Outcomes {
	if ctx.Err() != nil {
		return batchstate.Outcomes{}
	}
	b.sub.Close()
	b.sub = b.listen()
	return b.look(ctx)
}

// hear applies an event and those queued behind it.
func (b *batch) hear(ctx context.Context, e bus.Event) batchstate.Outcomes {
	n := batchstate.Outcomes{Returned: map[string]int{}}
	for range eventsWaiting {
		_, kind, id, _ := jobevent.Parse(e.Tag)
		if kind != jobevent.KindReturn {
			return b.look(ctx)
		}
		if _, active := b.st.Active[id]; active {
			if code, ok, _ := b.returned(ctx, id); ok {
				n.Returned[id] = code
			}
		}
		select {
		case next, ok := <-b.sub.C():
			if !ok {
				return b.lost(ctx)
			}
			e = next
		default:
			return n
		}
	}
	return n
}

// returned reads the return code of a minion.
func (b *batch) returned(ctx context.Context, id string) (code int, ok bool, err error) {
	if code, ok, err = b.s.o.Returned(ctx, b.st.JID, id); err != nil && ctx.Err() == nil {
		b.s.o.Log.Error("return not read", "jid", b.st.JID, "minion", id, "err", err)
	}
	return code, ok, err
}

// look reads the outcome of all active minions from the store and the account.
func (b *batch) look(ctx context.Context) batchstate.Outcomes {
	return b.core.Look(
		func() (map[string]jobevent.Absence, bool) { return b.s.o.Account(b.st.JID) },
		func(id string) (int, bool, error) { return b.returned(ctx, id) },
	)
}

// end announces the end of the batch.
func (b *batch) end() {
	now := b.s.o.Now()
	b.write()
	if err := b.s.files.enlist(b.st.JID, false); err != nil {
		b.s.o.Log.Error("batch not removed from the list", "jid", b.st.JID, "err", err)
	}
	if b.lease != nil {
		if err := b.lease.free(); err != nil {
			b.s.o.Log.Error("batch still marked as driven here", "jid", b.st.JID, "err", err)
		}
	}
	if !b.s.o.Keep {
		if err := b.s.files.remove(b.st.JID); err != nil {
			b.s.o.Log.Error("state of a batch not removed", "jid", b.st.JID, "err", err)
		}
	}
	about := []any{"jid", b.st.JID, "completed", len(b.st.Done), "failed", len(b.st.Failed)}
	if b.st.Halted {
		b.s.o.Log.Warn("batch halted", append(about, "reason", b.st.Reason, "active", len(b.st.Active), "pending", len(b.st.Pending))...)
	} else {
		b.s.o.Log.Info("batch complete", about...)
	}
	b.s.o.Fire(b.st.EndEvent(now))
}

// write writes the state. On error, the next step tries again.
func (b *batch) write() {
	b.written = b.s.o.Now()
	if err := b.s.files.write(b.st); err != nil {
		b.dirty = true
		b.s.o.Log.Error("batch not stored", "jid", b.st.JID, "err", fmt.Errorf("state of a batch: %w", err))
		return
	}
	b.core.Written()
	b.dirty = false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
