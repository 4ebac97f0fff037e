package stream

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Event is an event as readers get it.
type Event struct {
	// Seq counts the events of a hub from 1 on; 0 is a notice to one reader alone.
	Seq uint64
	Tag string
	// For tells who may hear it.
	For Audience
	// Data is a JSON text on one line: {"tag": ..., "data": {...}}. It is shared and
	// must not be changed.
	Data []byte
}

// Errors of this package.
var (
	// ErrSlow: the reader was too slow and has been cut off.
	ErrSlow = errors.New("the reader is too slow")
	// ErrClosed: the hub, or the reader itself, has been closed.
	ErrClosed = errors.New("the stream is closed")
)

// Options of a [Hub].
type Options struct {
	// Epoch tells this hub from one of an earlier time; it is part of the ids of events.
	Epoch string
	// Spill keeps the events over a restart of the process; nil: memory alone does.
	Spill *Spill
	// Keep is how many events are kept for readers that come back. Default 4096.
	Keep int
	// KeepBytes bounds them in bytes. Default 16 MiB.
	KeepBytes int
	// Queue is how many events may wait for one reader. Default 1024.
	Queue int
	// QueueBytes bounds them in bytes. Default 16 MiB; one event may be as large as it is.
	QueueBytes int
}

// Hub hands events on. It is safe for concurrent use.
type Hub struct {
	o Options

	mu      sync.Mutex
	seq     uint64
	kept    []Event // the latest, in order
	eras    []era   // lives whose ids are understood; the last one is this
	bytes   int
	readers map[*Reader]struct{}
	meant   map[string]bool // by the key of a filter: whether it takes the event at hand
	cut     uint64          // readers that were too slow
	closed  bool
}

// New makes a hub.
func New(o Options) *Hub {
	for _, d := range []struct {
		to  *int
		def int
	}{{&o.Keep, 4096}, {&o.KeepBytes, 16 << 20}, {&o.Queue, 1024}, {&o.QueueBytes, 16 << 20}} {
		if *d.to <= 0 {
			*d.to = d.def
		}
	}
	h := &Hub{o: o, readers: map[*Reader]struct{}{}, meant: map[string]bool{}}
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

// Publish hands an event to all readers that want it and may hear it. It never waits.
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
	clear(h.meant)
	for r := range h.readers {
		if !r.ear.Hears(to) || !h.means(r.filter, tag) {
			continue
		}
		if !r.put(e, h.o.Queue, h.o.QueueBytes) {
			h.cut++
			delete(h.readers, r)
		}
	}
}

// means tells whether a filter takes the tag of the event that is handed on now. A thousand
// open pages have the same few filters; each is looked through once.
func (h *Hub) means(f Filter, tag string) bool {
	meant, known := h.meant[f.key]
	if !known {
		meant = f.Match(tag)
		h.meant[f.key] = meant
	}
	return meant
}

// keep remembers an event and forgets the oldest beyond the bounds.
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

func size(e Event) int { return len(e.Tag) + len(e.Data) }

// ID is the id of an event for the header Last-Event-ID.
func (h *Hub) ID(e Event) string { return h.o.Epoch + "-" + strconv.FormatUint(e.Seq, 10) }

// Gap is what a reader that comes back cannot be given any more.
type Gap struct {
	// Missed is how many events lie in between, of all tags; 0: nobody knows.
	Missed uint64
}

// Subscribe adds a reader. after is the id of the last event that it has had, or "" for
// one that begins: then it gets what comes from now on. The gap is nil where nothing is
// missed. What it may not hear is not there for it, now and before.
func (h *Hub) Subscribe(f Filter, ear Ear, after string) (*Reader, *Gap, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, ErrClosed
	}
	r := &Reader{hub: h, filter: f, ear: ear, more: make(chan struct{}, 1)}
	var gap *Gap
	if after != "" {
		gap = h.resume(r, after)
	}
	h.readers[r] = struct{}{}
	return r, gap, nil
}

// resume gives a reader the kept events behind the last one it has had. They are there
// already, so they are no reason to call it slow.
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
		if at == len(h.eras)-1 { // there was no such event
			return &Gap{}
		}
		gap, last = &Gap{}, h.eras[at].last // it was, and those behind it are lost
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

// Kept gives the events that are kept for readers that come back, in order.
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
		r.end(ErrClosed)
	}
	clear(h.readers)
}

// Figures of a hub.
type Figures struct {
	Readers int    // that are there now
	Events  uint64 // that were published
	Cut     uint64 // readers that were too slow
	Kept    int    // events for those that come back
}

// Figures gives them.
func (h *Hub) Figures() Figures {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Figures{Readers: len(h.readers), Events: h.seq, Cut: h.cut, Kept: len(h.kept)}
}
