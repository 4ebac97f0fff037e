package batches

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// eventsWaiting is how many events of one batch may wait. Too many end the subscription, and what
	// they told is read from the job store.
	eventsWaiting = 4096
	// retryAfter is when a slice is tried again that could not be published.
	retryAfter = 5 * time.Second
	// lookEvery is how often the account is read though no event came.
	lookEvery = 15 * time.Second
	// writeEvery is how long a state on disk may lag behind.
	writeEvery = time.Second
)

// batch is one that this master drives.
type batch struct {
	s       *Service
	sub     *bus.Subscription
	stopped chan string // the reason
	lease   *lease      // nil: it could not be written
	fresh   bool        // nobody has been told of it

	mu sync.Mutex // guards st; one goroutine alone changes it
	st *State

	written time.Time // the last write
	dirty   bool      // the file lags behind
	retry   time.Time // not before this is a slice tried again; zero: now
}

func (b *batch) summary() *wire.Map {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.st.summary(b.s.o.Now())
}

func (b *batch) snapshot() *State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &State{JID: b.st.JID, Pending: slices.Clone(b.st.Pending), Active: maps.Clone(b.st.Active), Halted: b.st.Halted}
}

// halt has the batch end; the first reason counts.
func (b *batch) halt(reason string) {
	select {
	case b.stopped <- reason:
	default:
	}
}

func (b *batch) listen() *bus.Subscription {
	return b.s.o.Bus.Subscribe(bus.SubscribeOptions{Prefix: jobevent.Prefix + b.st.JID + "/", Size: eventsWaiting, Match: func(tag string) bool {
		_, kind, _, ok := jobevent.Parse(tag)
		return ok && (kind == jobevent.KindReturn || kind == jobevent.KindMissing || kind == jobevent.KindComplete)
	}})
}

// run drives the batch until it is over or ctx ends.
func (b *batch) run(ctx context.Context) {
	defer func() { b.sub.Close() }()
	if b.fresh {
		b.s.o.Fire(b.st.newEvent())
	}
	for err := b.catchUp(ctx); err != nil && ctx.Err() == nil; err = b.catchUp(ctx) {
		b.s.o.Log.Error("slices of an earlier life not read", "jid", b.st.JID, "err", err)
		_ = sleep.For(ctx, retryAfter)
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
		if b.st.done() {
			b.end()
			return
		}
		n = b.await(ctx)
	}
}

// catchUp brings the state of an earlier life up to what the stored job tells: whom it names has begun,
// though the state was not written after that, and who has begun and is not named is published to now.
func (b *batch) catchUp(ctx context.Context) error {
	named, err := b.s.o.Published(ctx, b.st.JID)
	if err != nil {
		return err
	}
	slices.Sort(named)
	begun := func(id string) bool {
		_, found := slices.BinarySearch(named, id)
		return found
	}
	b.mu.Lock()
	at := unix(b.s.o.Now())
	b.st.Pending = slices.DeleteFunc(slices.Clone(b.st.Pending), func(id string) bool {
		if begun(id) {
			b.st.Active[id] = at
		}
		return begun(id)
	})
	lost := slices.DeleteFunc(sortedKeys(b.st.Active), begun)
	b.mu.Unlock()
	if len(lost) > 0 {
		b.publish(ctx, lost)
	}
	return nil
}

// advance enters news, and publishes as long as there is room and nothing else to hear.
func (b *batch) advance(ctx context.Context, n news) {
	now := b.s.o.Now()
	b.mu.Lock()
	var begin []string
	if b.retry.IsZero() || !now.Before(b.retry) {
		b.retry = time.Time{}
		begin = b.st.progress(n, now)
	} else { // no slot is given before the retry
		held := b.st.Pending
		b.st.Pending = nil
		b.st.progress(n, now)
		b.st.Pending = held
	}
	b.mu.Unlock()
	b.dirty = true
	if len(begin) > 0 {
		b.publish(ctx, begin)
	}
	if len(begin) > 0 || !n.empty() {
		b.s.o.Fire(b.st.progressEvent())
	}
	if b.dirty && (now.Sub(b.written) >= writeEvery || b.st.done()) {
		b.write()
	}
}

// publish publishes to minions that are active.
func (b *batch) publish(ctx context.Context, ids []string) {
	_, err := b.s.o.Publish(ctx, b.st, ids)
	if err == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
	switch {
	case errors.Is(err, ErrNobody):
		for _, id := range ids {
			delete(b.st.Active, id)
			b.st.Failed[id] = "unknown minion"
		}
		if b.st.Failhard {
			b.st.halt(reasonFailhard)
		}
	case errors.Is(err, ErrNotNow) || ctx.Err() != nil:
		b.st.putBack(ids)
		b.retry = b.s.o.Now().Add(retryAfter)
		b.s.o.Log.Warn("slice of a batch not published, trying again", "jid", b.st.JID, "minions", len(ids), "err", err)
	default:
		b.st.putBack(ids)
		b.st.halt(err.Error())
	}
}

// await waits for news of the minions, or for what is due.
func (b *batch) await(ctx context.Context) news {
	due := min(lookEvery, renewEvery)
	if wait, ok := b.st.waits(b.s.o.Now()); ok {
		due = min(due, wait)
	}
	if b.dirty {
		due = min(due, writeEvery)
	}
	if !b.retry.IsZero() {
		due = min(due, max(time.Millisecond, b.retry.Sub(b.s.o.Now())))
	}
	if len(b.st.Active) == 0 && len(b.st.Pending) > 0 && len(b.st.Wait) == 0 && b.retry.IsZero() {
		return news{} // what was to be published went to nobody: the next ones begin
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
		b.st.halt(reason)
		return news{}
	case <-timer.C:
		if due == lookEvery { // as nothing else is due
			return b.look(ctx)
		}
		return news{}
	case <-ctx.Done():
		return news{}
	}
}

// lost listens anew after too many events came at a time.
func (b *batch) lost(ctx context.Context) news {
	if ctx.Err() != nil {
		return news{}
	}
	b.sub.Close()
	b.sub = b.listen()
	return b.look(ctx)
}

// hear reads an event and those that wait behind it.
func (b *batch) hear(ctx context.Context, e bus.Event) news {
	n := news{returned: map[string]int{}}
	for range eventsWaiting {
		switch _, kind, id, _ := jobevent.Parse(e.Tag); kind {
		case jobevent.KindReturn:
			b.returned(ctx, id, &n)
		default:
			return b.look(ctx)
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

// returned looks for the return of an active minion.
func (b *batch) returned(ctx context.Context, id string, n *news) bool {
	if _, active := b.st.Active[id]; !active {
		return false
	}
	code, ok, err := b.s.o.Returned(ctx, b.st.JID, id)
	if err != nil && ctx.Err() == nil {
		b.s.o.Log.Error("return not read", "jid", b.st.JID, "minion", id, "err", err)
	}
	if err != nil || !ok {
		return false
	}
	n.returned[id] = code
	return true
}

// look reads what the store and the account of the job have of all active minions. The account comes
// first: who is in neither of it and has not returned is at work.
func (b *batch) look(ctx context.Context) news {
	n := news{returned: map[string]int{}, gone: map[string]string{}}
	if len(b.st.Active) == 0 {
		return n
	}
	gone, open := b.s.o.Account(b.st.JID)
	for id := range b.st.Active {
		if b.returned(ctx, id, &n) {
			continue
		}
		if _, missing := gone[id]; missing || !open {
			n.gone[id] = reasonTimeout
		}
	}
	if ctx.Err() != nil { // a return that could not be read is not a missing one
		return news{}
	}
	return n
}

// end tells the end of the batch.
func (b *batch) end() {
	now := b.s.o.Now()
	b.write()
	if err := b.s.files.enlist(b.st.JID, false); err != nil {
		b.s.o.Log.Error("batch not taken from the list", "jid", b.st.JID, "err", err)
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
	b.s.o.Fire(b.st.endEvent(now))
}

// write stores the state. What cannot be written is tried again with the next step.
func (b *batch) write() {
	b.written = b.s.o.Now()
	if err := b.s.files.write(b.st); err != nil {
		b.dirty = true
		b.s.o.Log.Error("batch not stored", "jid", b.st.JID, "err", fmt.Errorf("state of a batch: %w", err))
		return
	}
	b.dirty = false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
