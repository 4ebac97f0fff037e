package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/value"
)

const (
	feedWaitMin = 250 * time.Millisecond
	feedWaitMax = 10 * time.Second
)

// Reasons of mom/api/lost.
const (
	lostBus     = "the event bus of the master was lost; events may be missing"
	lostRestart = "the API was restarted; events may be missing in between"
	lostOwners  = "the master does not report the users of jobs; events of your jobs may be missing"
)

// FeedSource is where [Feed] reads events; see [Backend].
type FeedSource interface {
	Events(ctx context.Context) (Events, error)
	jobUsers
}

// Feed publishes the events of a master to a hub until ctx ends. When the bus is lost, Feed opens it
// again and notifies the readers.
func Feed(ctx context.Context, source FeedSource, hub *stream.Hub, log *slog.Logger) {
	wait, lost, why := feedWaitMin, false, lostBus
	f := &feed{hub: hub, log: log, owners: newOwners(source, log, func() { notifyLost(hub, lostOwners) })}
	for _, e := range hub.Kept() { // of an earlier process
		f.owners.learn(e)
		lost, why = true, lostRestart
	}
	for ctx.Err() == nil {
		events, err := source.Events(ctx)
		if err == nil {
			if lost {
				notifyLost(hub, why)
			}
			wait, lost, why = feedWaitMin, true, lostBus
			err = f.pass(ctx, events)
			_ = events.Close() // it is broken, or ctx has ended
		}
		if ctx.Err() != nil {
			return
		}
		log.Warn("event stream of the master lost, retrying", "err", err, "retry_in", wait)
		_ = timing.Sleep(ctx, wait) // the loop checks ctx
		wait = min(2*wait, feedWaitMax)
	}
}

// notifyLost reports to all readers that events may be missing.
func notifyLost(hub *stream.Hub, reason string) {
	hub.Publish(tagLost, noticeData(tagLost, value.NewMap("reason", reason)), stream.Audience{Kind: stream.Notice})
}

// feed publishes events to a hub.
type feed struct {
	hub    *stream.Hub
	owners *owners
	log    *slog.Logger
}

// maxAtOnce bounds the events that are published together.
const maxAtOnce = 1024

// pass publishes events until the bus breaks. It takes all events that have arrived together, so
// that it asks the master once for the users of all their jobs.
func (f *feed) pass(ctx context.Context, events Events) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	arrived, done := make(chan client.Event, maxAtOnce), make(chan struct{})
	var broken error
	go func() {
		defer close(done)
		defer close(arrived)
		broken = readEvents(ctx, events, arrived)
	}()
	defer func() {
		cancel()
		<-done
		err = broken
	}()
	for e := range arrived {
		list, tags := []client.Event{e}, []string{e.Tag}
	more:
		for len(list) < maxAtOnce {
			select {
			case e, ok := <-arrived:
				if !ok {
					break more
				}
				list, tags = append(list, e), append(tags, e.Tag)
			default:
				break more
			}
		}
		f.owners.find(ctx, tags...)
		for _, e := range list {
			f.publish(e)
		}
	}
	return nil
}

// readEvents sends events until the bus breaks, and returns why.
func readEvents(ctx context.Context, events Events, to chan<- client.Event) error {
	for {
		e, err := events.Next(ctx)
		if err != nil {
			return err
		}
		select {
		case to <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *feed) publish(e client.Event) {
	v, data, err := eventData(e)
	if err != nil {
		f.log.Warn("unreadable event dropped", "tag", e.Tag, "err", err)
		return
	}
	f.hub.Publish(e.Tag, data, f.owners.audience(e.Tag, v))
}

// eventData returns the data of an event, and the event on one line as Salt's servers show it.
func eventData(e client.Event) (any, []byte, error) {
	v, err := e.Data.Decode()
	if err != nil {
		return nil, nil, err
	}
	if m, ok := v.(*value.Map); ok && !m.Has("_stamp") && !e.Time.IsZero() {
		m.Set("_stamp", e.Time.UTC().Format(stampForm))
	}
	text, err := encode(asJSON, value.NewMap("data", v, "tag", e.Tag))
	return v, text, err
}

// stampForm is Salt's form of times in events.
const stampForm = "2006-01-02T15:04:05.000000"
