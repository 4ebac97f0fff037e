package jobstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

const (
	// eventBatch is the minimum batch size if event_return_queue is less.
	eventBatch = 500
	// eventPatience is how long events wait for event_return_queue to fill if
	// event_return_queue_max_seconds is not set.
	eventPatience = time.Second
	// storeWait limits a write, which the end of the master must not cancel.
	storeWait = 30 * time.Second
)

// EventReturnOptions configure an [EventKeeper].
type EventReturnOptions struct {
	Bus *bus.Bus
	// Store stores events durably; see jobstore.Store.SaveEvents.
	Store interface {
		SaveEvents(ctx context.Context, events []returners.Event) error
	}
	// MasterID names the master in each event.
	MasterID string
	// Whitelist and Blacklist are event_return_whitelist and
	// event_return_blacklist.
	Whitelist, Blacklist []string
	// Queue is the number of events to collect before they are stored, at least 1.
	Queue int
	// Waiting limits the events waiting to be stored; further ones are dropped and logged. 0 means
	// 65536.
	Waiting int
	// Bytes limits the bytes of waiting events; 0 means the bound audit_bytes.
	Bytes int
	// Patience is how long to wait for a full queue; 0 means one second.
	Patience time.Duration
	// Lost is called for events that were not stored: n of them, at least. Optional.
	Lost func(n int, why error)
	Log  *slog.Logger
}

// EventKeeper stores the events of the bus.
type EventKeeper struct {
	o        EventReturnOptions
	sub      *bus.Subscription
	life     string // unique prefix of event keys for this run
	n        uint64
	no, only target.Patterns
}

// ListenEvents starts collecting events; [EventKeeper.Run] stores them.
func ListenEvents(o EventReturnOptions) *EventKeeper {
	if o.Patience <= 0 {
		o.Patience = eventPatience
	}
	o.Queue = max(o.Queue, 1)
	o.Waiting = cmp.Or(o.Waiting, bounds.Default().AuditQueue)
	o.Bytes = cmp.Or(o.Bytes, bounds.Default().AuditBytes)
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	k := &EventKeeper{
		o: o, life: o.MasterID + "/" + hex.EncodeToString(b),
		no: target.NewPatterns(o.Blacklist), only: target.NewPatterns(o.Whitelist),
	}
	k.listen()
	return k
}

func (k *EventKeeper) listen() {
	//mutant:reactor-audit-bytes
	k.sub = k.o.Bus.Subscribe(bus.SubscribeOptions{Size: k.o.Waiting, Bytes: k.o.Bytes})
}

// wanted applies event_return_whitelist and event_return_blacklist.
func (k *EventKeeper) wanted(tag string) bool {
	return !k.no.Match(tag) && (len(k.only) == 0 || k.only.Match(tag))
}

// Run stores events until the bus is closed or ctx ends, including all fired before.
func (k *EventKeeper) Run(ctx context.Context) {
	for {
		open := k.gather(ctx)
		if k.sub.Lost() {
			k.o.Log.Error("events lost for event_return: queue full", "limit", k.o.Waiting, "bytes", k.o.Bytes)
			k.lose(1, errQueueFull)
		}
		k.sub.Close()
		if !open || ctx.Err() != nil {
			return
		}
		k.listen()
	}
}

// gather stores events in batches until the subscription ends. It returns false when the master
// ends.
func (k *EventKeeper) gather(ctx context.Context) bool {
	var batch []returners.Event
	var late <-chan time.Time
	for {
		flush, ended, over := false, false, false
		select {
		case ev, ok := <-k.sub.C():
			ended = !ok
			batch = k.add(batch, ev, ok)
		case <-late:
			flush = true
		case <-ctx.Done():
			over = true
		}
		for more := true; more && !ended && len(batch) < max(k.o.Queue, eventBatch); {
			select {
			case ev, ok := <-k.sub.C():
				ended = !ok
				batch = k.add(batch, ev, ok)
			default:
				more = false
			}
		}
		if len(batch) > 0 && (flush || ended || over || len(batch) >= k.o.Queue) {
			k.store(batch)
			batch, late = nil, nil
			if over && !ended {
				continue // there may be more
			}
		}
		switch {
		case over:
			return false
		case ended:
			return k.sub.Lost()
		case len(batch) > 0 && late == nil:
			late = time.After(k.o.Patience)
		}
	}
}

func (k *EventKeeper) add(batch []returners.Event, ev bus.Event, ok bool) []returners.Event {
	if !ok {
		return batch
	}
	k.sub.Took(ev)
	if !k.wanted(ev.Tag) {
		return batch
	}
	r, err := k.row(ev)
	if err != nil {
		k.o.Log.Error("event not stored for event_return", "tag", ev.Tag, "err", err)
		k.lose(1, fmt.Errorf("event %q: %w", ev.Tag, err))
		return batch
	}
	return append(batch, r)
}

// row encodes the event as on the local sockets, with its stamp.
func (k *EventKeeper) row(ev bus.Event) (returners.Event, error) {
	b, err := ev.Bytes()
	if err != nil {
		return returners.Event{}, err
	}
	tag, data, err := wire.ParseEvent(b)
	if err != nil {
		return returners.Event{}, fmt.Errorf("read it back: %w", err)
	}
	k.n++
	return returners.Event{Key: k.life + "/" + strconv.FormatUint(k.n, 10), Tag: tag, Data: data, MasterID: k.o.MasterID, At: ev.Stamp}, nil
}

func (k *EventKeeper) store(batch []returners.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	if err := k.o.Store.SaveEvents(ctx, batch); err != nil {
		k.o.Log.Error("events lost for event_return: not stored", "events", len(batch), "first", batch[0].Tag, "err", err)
		k.lose(len(batch), err)
	}
}

var errQueueFull = errors.New("too many waited to be stored (bounds audit_queue and audit_bytes)")

func (k *EventKeeper) lose(n int, why error) {
	if k.o.Lost != nil {
		k.o.Lost(n, why)
	}
}
