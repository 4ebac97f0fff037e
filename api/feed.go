package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// The tags of what the API itself tells its readers.
const (
	tagGap  = "mom/api/gap"  // events in between cannot be had any more
	tagSlow = "mom/api/slow" // the reader is cut off
	tagLost = "mom/api/lost" // the master's bus was lost for a while
	tagEnd  = "mom/api/end"  // the stream ends, and why
)

const (
	feedWaitMin = 250 * time.Millisecond
	feedWaitMax = 10 * time.Second
)

// Feed brings the events of a master to a hub until ctx ends. When the bus is lost it is
// opened again, and the readers are told.
func Feed(ctx context.Context, b Backend, hub *stream.Hub, log *slog.Logger) {
	wait, lost, why := feedWaitMin, false, "the event bus of the master was lost; events may be missing"
	whose := newOwners(b, log, func() {
		tell(hub, "the master does not tell who asked for jobs; events of your jobs may be missing")
	})
	for _, e := range hub.Kept() { // of an earlier life of the API
		whose.learn(e)
		lost, why = true, "the API was restarted; events may be missing in between"
	}
	for ctx.Err() == nil {
		events, err := b.Events(ctx)
		if err == nil {
			if lost {
				tell(hub, why)
			}
			wait, lost, why = feedWaitMin, true, "the event bus of the master was lost; events may be missing"
			err = pass(ctx, events, whose, hub)
			_ = events.Close() // it is broken, or we are done
		}
		if ctx.Err() != nil {
			return
		}
		log.Warn("event stream of the master lost, retrying", "err", err, "retry_in", wait)
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
		wait = min(2*wait, feedWaitMax)
	}
}

// tell has all readers know that something is missing.
func tell(hub *stream.Hub, reason string) {
	hub.Publish(tagLost, line(tagLost, value.NewMap("reason", reason)), stream.Audience{Kind: stream.Notice})
}

// maxAtOnce bounds the events that are handed on together.
const maxAtOnce = 1024

// pass hands on events until the bus breaks: those together that are there, so that the
// master is asked for all their jobs at once.
func pass(ctx context.Context, events Events, whose *owners, hub *stream.Hub) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	came, done := make(chan client.Event, maxAtOnce), make(chan struct{})
	var broken error
	go func() {
		defer close(done)
		defer close(came)
		for {
			e, err := events.Next(ctx)
			if err != nil {
				broken = err
				return
			}
			select {
			case came <- e:
			case <-ctx.Done():
				broken = ctx.Err()
				return
			}
		}
	}()
	defer func() {
		cancel()
		<-done
		err = broken
	}()
	for e := range came {
		list, tags := []client.Event{e}, []string{e.Tag}
	more:
		for len(list) < maxAtOnce {
			select {
			case e, ok := <-came:
				if !ok {
					break more
				}
				list, tags = append(list, e), append(tags, e.Tag)
			default:
				break more
			}
		}
		whose.find(ctx, tags...)
		for _, e := range list {
			v, data, err := eventLine(e)
			if err != nil {
				whose.log.Warn("unreadable event dropped", "tag", e.Tag, "err", err)
				continue
			}
			hub.Publish(e.Tag, data, whose.audience(e.Tag, v))
		}
	}
	return nil
}

// eventLine is what an event has, and the whole as Salt's servers show it, on one line.
func eventLine(e client.Event) (any, []byte, error) {
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

// stampForm is how Salt writes times in events.
const stampForm = "2006-01-02T15:04:05.000000"

// line is what the API itself tells.
func line(tag string, data *value.Map) []byte {
	b, err := encode(asJSON, value.NewMap("data", data, "tag", tag))
	if err != nil {
		return []byte(`{"data": {}, "tag": "` + tag + `"}`) // of our own words alone: it cannot be
	}
	return b
}
