package bus

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// outbox is the queue of one connected reader, bounded in events and in bytes.
type outbox struct {
	maxEvents, maxBytes int

	mu     sync.Mutex
	events []Event
	bytes  int
	ended  bool
	wake   chan struct{} // holds one token while events wait
}

func newOutbox(maxEvents, maxBytes int) *outbox {
	return &outbox{maxEvents: maxEvents, maxBytes: maxBytes, wake: make(chan struct{}, 1)}
}

// put queues an event; false means that the queue is full. An empty queue accepts an event of
// any size.
func (o *outbox) put(e Event) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(e.Data)
	if len(o.events) > 0 && (len(o.events) >= o.maxEvents || o.bytes+n > o.maxBytes) {
		o.ended = true
		o.signal()
		return false
	}
	o.events = append(o.events, e)
	o.bytes += n
	o.signal()
	return true
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns all queued events, and whether the queue has overflowed.
func (o *outbox) take() (events []Event, overflowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	events, o.events, o.bytes = o.events, nil, 0
	return events, o.ended
}

// helloTag is the tag of the first event for a reader: it reports that from now on no event is
// missed. It is not on the bus.
const helloTag = "salt/event/new_client"

var emptyMap = wire.Raw{0x80}

// serveReader writes every event to a reader until it disconnects or falls behind.
func (s *Server) serveReader(c net.Conn) {
	s.readers.Add(1)
	defer s.readers.Add(-1)
	box := newOutbox(s.cfg.QueueSize, s.cfg.QueueBytes)
	sub := s.bus.subscribe(SubscribeOptions{}, nil, func(e Event) bool {
		ok := box.put(e)
		if !ok {
			_ = c.Close() // ends the blocked write
		}
		return ok
	})
	defer sub.Close()
	framing := s.framingFor(c)
	box.put(Event{Tag: helloTag, Data: emptyMap, Stamp: s.bus.now()})

	gone := make(chan struct{})
	go func() { // readers send nothing; this detects the end
		defer close(gone)
		_, _ = io.Copy(io.Discard, c)
	}()
	defer func() { _ = c.Close(); <-gone }()

	for open := true; open; {
		select {
		case <-box.wake:
		case <-gone:
			open = false
		}
		events, overflowed := box.take()
		if !overflowed && open {
			err := s.write(c, framing, events)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				s.cutReader(c, "it takes too little")
				return
			}
			if err == nil {
				continue
			}
			open = false
			_, overflowed = box.take() // it may be the cause of the error
		}
		if overflowed {
			s.cutReader(c, "its queue is full")
			return
		}
	}
}

func (s *Server) cutReader(c net.Conn, why string) {
	s.readersCut.Add(1)
	s.cfg.Log.Warn("event bus disconnected a slow reader", "socket", s.pub.Addr().String(), "peer", peerName(c), "reason", why)
}

// write sends events to a reader in batches. It fails if the reader does not accept a batch
// within StallTimeout.
func (s *Server) write(c net.Conn, framing Framing, events []Event) error {
	for len(events) > 0 {
		var batch net.Buffers
		size := 0
		for len(events) > 0 && size < 256<<10 {
			f := events[0].made()
			events = events[1:]
			if f.err != nil {
				s.cfg.Log.Error("event bus dropped an event", "err", f.err)
				continue
			}
			if framing == Length {
				batch = append(batch, lengthOf(f.frame))
			}
			batch = append(batch, f.frame)
			size += len(f.frame)
		}
		for len(batch) > 0 {
			if err := c.SetWriteDeadline(time.Now().Add(s.cfg.StallTimeout)); err != nil {
				return err
			}
			if _, err := batch.WriteTo(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func peerName(c net.Conn) string {
	if a := c.RemoteAddr(); a != nil && a.String() != "" {
		return a.String()
	}
	return "local"
}
