package events

import (
	"slices"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// queue holds events until a parent has accepted them. When it is full it drops the oldest: durable
// facts travel as returns. It is not safe for concurrent use.
type queue struct {
	max, maxBytes int
	gone          func(bus.Event) // called with each dropped event, if set

	events []bus.Event // valid from head on
	head   int
	bytes  int
	lost   uint64 // since the last takeLost
}

func (q *queue) len() int { return len(q.events) - q.head }

func (q *queue) push(e bus.Event) {
	q.events = append(q.events, e)
	q.bytes += size(e)
	for q.len() > 1 && (q.len() > q.max || q.bytes > q.maxBytes) {
		q.drop()
	}
}

func size(e bus.Event) int { return len(e.Tag) + len(e.Data) }

func (q *queue) drop() {
	q.lose(q.pop())
}

func (q *queue) lose(e bus.Event) {
	q.lost++
	if q.gone != nil {
		q.gone(e)
	}
}

func (q *queue) pop() bus.Event {
	e := q.events[q.head]
	q.events[q.head] = bus.Event{}
	q.head++
	q.bytes -= size(e)
	if q.head >= 64 && q.head*2 >= len(q.events) {
		n := copy(q.events, q.events[q.head:])
		clear(q.events[n:])
		q.events, q.head = q.events[:n], 0
	}
	return e
}

// room is the remaining capacity of one request.
type room struct{ events, bytes, values int }

// takes reserves room for an event and reports whether it fits; the first always does.
func (r *room) takes(e bus.Event, first bool) bool {
	r.events--
	r.bytes -= size(e)
	//mutant:request-values-are-bounded
	r.values -= values(e)
	return first || r.events >= 0 && r.bytes >= 0 && r.values >= 0
}

// values returns how many msgpack values the parent counts for an event.
func values(e bus.Event) int {
	n, err := wire.Size(e.Data, wire.Limits{})
	if err != nil {
		return len(e.Data)
	}
	return n + 5 // the map around it, its keys and the tag
}

// take removes the first event, and as many after it as fit.
func (q *queue) take(r room) []bus.Event {
	var out []bus.Event
	for q.len() > 0 && r.takes(q.events[q.head], len(out) == 0) {
		out = append(out, q.pop())
	}
	return out
}

// takeBut is like take, but leaves the events for which stays returns true.
func (q *queue) takeBut(stays func(bus.Event) bool, r room) []bus.Event {
	if !slices.ContainsFunc(q.events[q.head:], stays) {
		return q.take(r)
	}
	var out, kept []bus.Event
	bytes := 0
	for i, e := range q.events[q.head:] {
		if stays(e) {
			kept = append(kept, e)
			continue
		}
		if !r.takes(e, len(out) == 0) {
			kept = append(kept, q.events[q.head+i:]...)
			break
		}
		bytes += size(e)
		out = append(out, e)
	}
	if len(out) > 0 {
		q.events, q.head, q.bytes = kept, 0, q.bytes-bytes
	}
	return out
}

// putBack returns events to the front of the queue. If there is no room for all, it drops the
// oldest.
func (q *queue) putBack(events []bus.Event) {
	room, bytes := q.max-q.len(), q.bytes
	keep := len(events)
	for keep > 0 && len(events)-keep < room && bytes+size(events[keep-1]) <= q.maxBytes {
		keep--
		bytes += size(events[keep])
	}
	for _, e := range events[:keep] {
		q.lose(e)
	}
	rest := append([]bus.Event(nil), events[keep:]...)
	q.events, q.head, q.bytes = append(rest, q.events[q.head:]...), 0, bytes
}

// remove removes matching events without counting them as lost.
func (q *queue) remove(which func(bus.Event) bool) {
	var kept []bus.Event
	bytes := 0
	for _, e := range q.events[q.head:] {
		if !which(e) {
			kept = append(kept, e)
			bytes += size(e)
		}
	}
	q.events, q.head, q.bytes = kept, 0, bytes
}

func (q *queue) takeLost() uint64 {
	n := q.lost
	q.lost = 0
	return n
}
