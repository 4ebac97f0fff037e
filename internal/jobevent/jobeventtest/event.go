// Package jobeventtest makes the events by which a local master reports on jobs, for tests.
package jobeventtest

import (
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// Event returns the event of a tag and its data, with the Value that the local master sets.
func Event(tb testing.TB, tag string, d *wire.Map) bus.Event {
	tb.Helper()
	b, err := wire.Encode(d)
	if err != nil {
		tb.Fatal(err)
	}
	e := bus.Event{Tag: tag, Data: b}
	id, kind, _, _ := jobevent.Parse(tag)
	switch kind {
	case jobevent.KindExpectation:
		if x, err := jobevent.DecodeExpectation(id, b); err == nil {
			e.Value = x
		}
	case jobevent.KindMissing:
		if x, err := jobevent.DecodeMissing(id, b); err == nil {
			e.Value = x
		}
	case jobevent.KindComplete:
		e.Value = jobevent.Complete{JID: id}
	case jobevent.KindClosed:
		e.Value = jobevent.Closed{JID: id, Word: uint64(d.Int("word"))}
	}
	return e
}
