package stream

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Options of a [Hub].
type Options struct {
	// Epoch distinguishes this hub from those of earlier processes. It is part of the ids of events.
	Epoch string
	// Spill keeps the events across a restart of the process; nil: only memory does.
	Spill *Spill
	// Keep is how many events are kept for readers that resume. Default 4096.
	Keep int
	// KeepBytes bounds their size in bytes. Default 16 MiB.
	KeepBytes int
	// Queue is how many events may wait for one reader. Default 1024.
	Queue int
	// QueueBytes bounds their size in bytes. Default 16 MiB. A single event may be larger.
	QueueBytes int
}

// Hub distributes events to readers. It is safe for concurrent use.
type Hub struct {
	o Options

	mu      sync.Mutex
	seq     uint64
	kept    []Event // the latest events, in order
	eras    []era   // hubs whose ids can resume; the last is this one
	bytes   int
	readers map[*Reader]struct{}
	matches map[string]bool // whether a filter matches the current event, by the key of the filter
	cut     uint64          // readers that were too slow
	closed  bool
}

// New returns a hub.
func New(o Options) *Hub {
	for _, d := range []struct {
		to  *int
		def int
	}{{&o.Keep, 4096}, {&o.KeepBytes, 16 << 20}, {&o.Queue, 1024}, {&o.QueueBytes, 16 << 20}} {
		if *d.to <= 0 {
			*d.to = d.def
		}
	}
	h := &Hub{o: o, readers: map[*Reader]struct{}{}, matches: map[string]bool{}}
	if s := o.Spill; s != nil {
		s.past.trim(o.Keep, o.KeepBytes)
		h.kept, h.eras, h.seq = s.past.events, s.past.eras, s.past.last
		s.past = past{}
		for _, e := range h.kept {
			h.bytes += size(e)
		}
		s.begin(o.Epoch, h.seq+1)
	}
	h.eras = append(h.eras, era{epoch: o.Epoch, first: h.seq + 1})
	return h
}

// Publish sends an event to all readers that want it and may receive it. It never blocks.
func (h *Hub) Publish(tag string, data []byte, to Audience) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.seq++
	e := Event{Seq: h.seq, Tag: tag, For: to, Data: data}
	h.keep(e)
	if h.o.Spill != nil {
		h.o.Spill.put(e)
	}
	clear(h.matches)
	for r := range h.readers {
		if !r.perms.Allow(to) || !h.match(r.filter, tag) {
			continue
		}
		if !r.queue.put(e, h.o.Queue, h.o.QueueBytes) {
			h.cut++
			delete(h.readers, r)
		}
	}
}

// match reports whether a filter matches the tag of the current event. A thousand open pages have the
// same few filters; each filter runs once.
func (h *Hub) match(f Filter, tag string) bool {
	matches, known := h.matches[f.key]
	if !known {
		matches = f.Match(tag)
		h.matches[f.key] = matches
	}
	return matches
}

// keep keeps an event and drops the oldest beyond the bounds.
func (h *Hub) keep(e Event) {
	h.kept = append(h.kept, e)
	h.bytes += size(e)
	drop := 0
	for len(h.kept)-drop > h.o.Keep || (h.bytes > h.o.KeepBytes && len(h.kept)-drop > 1) {
		h.bytes -= size(h.kept[drop])
		h.kept[drop] = Event{}
		drop++
	}
	h.kept = h.kept[drop:]
}

// ID returns the id of an event for the header Last-Event-ID.
func (h *Hub) ID(e Event) string { return h.o.Epoch + "-" + strconv.FormatUint(e.Seq, 10) }

// Gap is what a reader that resumes has missed.
type Gap struct {
	// Missed is the number of missed events, of all tags; 0 if it is unknown.
	Missed uint64
}

// Subscribe adds a reader. after is the id of the last event that it has read; with "" it gets the
// events from now on. The gap is nil if it missed none. A reader never gets, and never misses, events
// that it may not receive.
func (h *Hub) Subscribe(f Filter, perms Permissions, after string) (*Reader, *Gap, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, ErrClosed
	}
	r := &Reader{hub: h, filter: f, perms: perms, queue: newQueue()}
	var gap *Gap
	if after != "" {
		gap = h.resume(r, after)
	}
	h.readers[r] = struct{}{}
	return r, gap, nil
}

// resume gives a reader the kept events after the last one that it has read. They do not count towards
// its queue.
func (h *Hub) resume(r *Reader, after string) *Gap {
	epoch, number, _ := strings.Cut(after, "-")
	last, err := strconv.ParseUint(number, 10, 64)
	h.eras[len(h.eras)-1].last = h.seq
	at := slices.IndexFunc(h.eras, func(e era) bool { return e.epoch == epoch })
	if err != nil || at < 0 || last+1 < h.eras[at].first {
		return &Gap{}
	}
	var gap *Gap
	//mutant:api-lost-tail-is-reported
	if last > h.eras[at].last {
		if at == len(h.eras)-1 { // no such event existed
			return &Gap{}
		}
		gap, last = &Gap{}, h.eras[at].last // it existed, and those after it are lost
	}
	first := h.seq + 1
	if len(h.kept) > 0 {
		first = h.kept[0].Seq
	}
	if last+1 < first {
		gap = &Gap{Missed: first - last - 1}
	}
	for _, e := range h.kept {
		//mutant:api-resumed-stream-is-filtered
		if e.Seq > last && r.wants(e) {
			r.back = append(r.back, e)
		}
	}
	return gap
}

// Kept returns the events that are kept for readers that resume, in order.
func (h *Hub) Kept() []Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.kept)
}

// Close ends all readers.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for r := range h.readers {
		r.queue.end(ErrClosed)
	}
	clear(h.readers)
}

// Figures of a hub.
type Figures struct {
	Readers int    // that are open
	Events  uint64 // that were published
	Cut     uint64 // readers that were too slow
	Kept    int    // events for readers that resume
}

// Figures returns the figures of the hub.
func (h *Hub) Figures() Figures {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Figures{Readers: len(h.readers), Events: h.seq, Cut: h.cut, Kept: len(h.kept)}
}

// Reader is one reader of a [Hub]. Only one goroutine may call Next and Try.
type Reader struct {
	hub    *Hub
	filter Filter
	perms  Permissions // guarded by the hub
	back   []Event     // kept events to resume with; only Next and Try use them
	queue  *queue
}

// wants reports whether an event is for the reader.
func (r *Reader) wants(e Event) bool { return r.perms.Allow(e.For) && r.filter.Match(e.Tag) }

// SetPermissions changes what the reader may receive. Events that already wait for it stay.
func (r *Reader) SetPermissions(perms Permissions) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.perms = perms
}

// Next waits for the next event. It ends with [ErrSlow] or [ErrClosed]. After the error of ctx it may be
// called again.
func (r *Reader) Next(ctx context.Context) (Event, error) {
	for {
		if e, ok, err := r.Try(); ok || err != nil {
			return e, err
		}
		select {
		case <-r.queue.more:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// More is signalled when there may be an event for Try.
func (r *Reader) More() <-chan struct{} { return r.queue.more }

// Try returns the next event if there is one. Its errors are those of Next.
func (r *Reader) Try() (Event, bool, error) {
	if len(r.back) > 0 {
		e := r.back[0]
		r.back = r.back[1:]
		return e, true, nil
	}
	r.back = nil
	return r.queue.take()
}

// Close removes the reader from its hub.
func (r *Reader) Close() {
	r.hub.mu.Lock()
	delete(r.hub.readers, r)
	r.hub.mu.Unlock()
	r.queue.end(ErrClosed)
}
