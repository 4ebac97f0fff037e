package master

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

const (
	// eventQueue is how many events may wait to be stored.
	eventQueue = 65536
	// eventBatch is how many are stored at once if event_return_queue is less.
	eventBatch = 500
	// eventPatience is how long events wait for event_return_queue to fill if
	// event_return_queue_max_seconds does not say.
	eventPatience = time.Second
)

// eventReturn keeps the events of the bus in the database of event_return: they
// are owed to it durably and each arrives there once.
type eventReturn struct {
	m        *Master
	sub      *bus.Subscription
	life     string // no other life of any master names its events so
	n        uint64
	no, only target.Patterns
}

// returnEvents starts to listen; nil without event_return.
func (m *Master) returnEvents() *eventReturn {
	if len(m.cfg.EventReturn) == 0 {
		return nil
	}
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	e := &eventReturn{
		m: m, life: m.id + "/" + hex.EncodeToString(b),
		no: target.NewPatterns(m.cfg.EventReturnBlacklist), only: target.NewPatterns(m.cfg.EventReturnWhitelist),
	}
	e.listen()
	return e
}

func (e *eventReturn) listen() {
	e.sub = e.m.bus.Subscribe(bus.SubscribeOptions{Size: eventQueue})
}

// wanted applies event_return_whitelist and event_return_blacklist.
func (e *eventReturn) wanted(tag string) bool {
	return !e.no.Match(tag) && (len(e.only) == 0 || e.only.Match(tag))
}

// run stores events until the bus says no more or ctx ends; what was fired by
// then is stored.
func (e *eventReturn) run(ctx context.Context) {
	for {
		open := e.gather(ctx)
		if e.sub.Lost() {
			e.m.log.Error("Events were lost: they came faster than they could be stored for event_return", "bound", eventQueue)
		}
		e.sub.Close()
		if !open || ctx.Err() != nil {
			return
		}
		e.listen()
	}
}

// gather stores events in batches until the subscription ends. It reports false
// when the master does.
func (e *eventReturn) gather(ctx context.Context) bool {
	var batch []returners.Event
	full := max(e.m.cfg.EventReturnQueue, 1)
	patience := e.m.cfg.EventReturnQueueMaxSeconds
	if patience <= 0 {
		patience = eventPatience
	}
	var late <-chan time.Time
	for {
		flush, ended, over := false, false, false
		select {
		case ev, ok := <-e.sub.C():
			ended = !ok
			batch = e.add(batch, ev, ok)
		case <-late:
			flush = true
		case <-ctx.Done():
			over = true
		}
		for more := true; more && !ended && len(batch) < max(full, eventBatch); {
			select {
			case ev, ok := <-e.sub.C():
				ended = !ok
				batch = e.add(batch, ev, ok)
			default:
				more = false
			}
		}
		if len(batch) > 0 && (flush || ended || over || len(batch) >= full) {
			e.store(batch)
			batch, late = nil, nil
			if over && !ended {
				continue // there may be more
			}
		}
		switch {
		case over:
			return false
		case ended:
			return e.sub.Lost()
		case len(batch) > 0 && late == nil:
			late = time.After(patience)
		}
	}
}

func (e *eventReturn) add(batch []returners.Event, ev bus.Event, ok bool) []returners.Event {
	if !ok || !e.wanted(ev.Tag) {
		return batch
	}
	r, err := e.row(ev)
	if err != nil {
		e.m.log.Error("An event could not be kept", "tag", ev.Tag, "err", err)
		return batch
	}
	return append(batch, r)
}

// row is the event as it goes over the local sockets, with its stamp.
func (e *eventReturn) row(ev bus.Event) (returners.Event, error) {
	b, err := ev.Bytes()
	if err != nil {
		return returners.Event{}, err
	}
	tag, data, err := wire.ParseEvent(b)
	if err != nil {
		return returners.Event{}, fmt.Errorf("read it back: %w", err)
	}
	e.n++
	return returners.Event{Key: e.life + "/" + strconv.FormatUint(e.n, 10), Tag: tag, Data: data, MasterID: e.m.id, At: ev.Stamp}, nil
}

func (e *eventReturn) store(batch []returners.Event) {
	ctx, cancel := storeContext()
	defer cancel()
	if err := e.m.store.SaveEvents(ctx, batch); err != nil {
		e.m.log.Error("Events were lost: they could not be stored for event_return", "events", len(batch), "first", batch[0].Tag, "err", err)
	}
}

// eventOpener gives the opener of the database that event_return names.
func (m *Master) eventOpener() func(context.Context) (returners.Returner, error) {
	if len(m.cfg.EventReturn) == 0 {
		return nil
	}
	return m.opener(m.cfg.EventReturn[0])
}
