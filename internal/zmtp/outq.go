package zmtp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// drainPiece is what a slow peer must at least read per StallTimeout, in bytes.
const drainPiece = 256 << 10

// maxControl bounds the PINGs and PONGs that wait for a slow peer; it gets no more until it
// reads.
const maxControl = 16

// item is a sequence of encoded frames to send. Its bytes may be shared by many queues, so
// nobody changes them.
type item struct {
	wire     []byte
	body     []byte // follows wire; separate so that large bodies need no copy
	messages int    // 0 for control frames
	left     func() // called, once put has accepted the item, when it is sent or dropped; may be nil
}

// forget reports that the item is sent or dropped.
func (it *item) forget() {
	if it.left != nil {
		it.left()
	}
}

func (it *item) size() int { return len(it.wire) + len(it.body) }

// advance removes the first n bytes, which were sent.
func (it *item) advance(n int) {
	k := min(n, len(it.wire))
	it.wire, it.body = it.wire[k:], it.body[n-k:]
}

// outq sends everything on a connection, in order, and never blocks the caller: bytes that the
// socket does not accept at once go to a bounded backlog. A goroutine exists only while there
// is a backlog.
type outq struct {
	conn     net.Conn
	raw      syscall.RawConn // nil means that the goroutine always drains
	maxBytes int
	maxItems int // bound in messages
	stall    time.Duration
	sent     func(item)  // called for items that were sent, without locks
	fail     func(error) // the connection is unusable
	gauge    *gauges

	mu       sync.Mutex
	try      func(fd uintptr) bool // allocated once
	buf      []byte                // for try
	n        int                   // from try
	err      error                 // from try
	backlog  []item
	bytes    int
	messages int
	control  int
	draining bool
	closed   bool
	done     sync.WaitGroup
}

// gauges sum up the backlogs of a socket's connections.
type gauges struct{ bytes, messages, peers atomic.Int64 }

func (q *outq) open(c net.Conn) {
	q.conn = c
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			q.raw = raw
			q.try = func(fd uintptr) bool {
				q.n, q.err = writeNow(fd, q.buf)
				return true
			}
		}
	}
}

// put sends or queues an item. ErrSlow means that the backlog is full and the item was not
// accepted. An item larger than the bound is accepted when nothing else waits.
func (q *outq) put(it item) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	if !q.draining {
		if err := q.writeNow(&it); err != nil {
			q.mu.Unlock()
			return fmt.Errorf("send: %w", err)
		}
		if it.size() == 0 {
			q.mu.Unlock()
			it.forget()
			if q.sent != nil {
				q.sent(it)
			}
			return nil
		}
		q.push(it)
		//mutant:files-reply-counts
		q.draining = true
		q.gauge.peers.Add(1)
		q.done.Go(q.drain)
		q.mu.Unlock()
		return nil
	}
	defer q.mu.Unlock()
	if it.messages == 0 {
		if q.control < maxControl {
			q.push(it)
		}
		return nil
	}
	if q.bytes+it.size() > q.maxBytes || q.messages+it.messages > q.maxItems {
		return fmt.Errorf("%w: %d messages, %d bytes", ErrSlow, q.messages, q.bytes)
	}
	q.push(it)
	return nil
}

// writeNow writes as much as the socket accepts; q.mu is held and nothing drains.
func (q *outq) writeNow(it *item) error {
	for q.raw != nil && it.size() > 0 {
		q.buf, q.n, q.err = it.wire, 0, nil
		if len(q.buf) == 0 {
			q.buf = it.body
		}
		want := len(q.buf)
		err := q.raw.Write(q.try)
		q.buf = nil
		if err == nil {
			err = q.err
		}
		if err != nil {
			return err
		}
		it.advance(q.n)
		if q.n < want {
			return nil
		}
	}
	return nil
}

func (q *outq) push(it item) {
	q.backlog = append(q.backlog, it)
	q.count(it, 1)
}

func (q *outq) count(it item, sign int) {
	q.bytes += sign * it.size()
	q.messages += sign * it.messages
	if it.messages == 0 {
		q.control += sign
	}
	q.gauge.bytes.Add(int64(sign * it.size()))
	q.gauge.messages.Add(int64(sign * it.messages))
}

// drain writes the backlog until it is empty.
func (q *outq) drain() {
	defer q.gauge.peers.Add(-1)
	for {
		q.mu.Lock()
		if len(q.backlog) == 0 || q.closed {
			// A deadline left behind would fail the next non-blocking write.
			_ = q.conn.SetWriteDeadline(time.Time{})
			q.draining = false
			q.backlog = nil
			q.mu.Unlock()
			return
		}
		it := q.backlog[0]
		q.mu.Unlock()
		err := q.write(it.wire)
		if err == nil {
			err = q.write(it.body)
		}
		if err != nil {
			q.fail(err)
			return // the connection is closed: nothing else will be sent
		}
		q.mu.Lock()
		if q.closed { // the backlog has been subtracted already
			q.mu.Unlock()
			return
		}
		q.backlog[0] = item{}
		q.backlog = q.backlog[1:]
		q.count(it, -1)
		q.mu.Unlock()
		it.forget()
		if q.sent != nil {
			q.sent(it)
		}
	}
}

// stallSteps is the number of waits into which StallTimeout is split.
const stallSteps = 4

// write waits for the peer to read, in several steps. Each step counts with its own length
// only: a process that was stopped or not scheduled wakes up long after the deadline, while its
// peer may have read all the time or have been stopped, too.
func (q *outq) write(b []byte) error {
	step := max(q.stall/stallSteps, 1)
	for len(b) > 0 {
		piece := b[:min(len(b), drainPiece)]
		b = b[len(piece):]
		for steps := 0; len(piece) > 0; {
			_ = q.conn.SetWriteDeadline(time.Now().Add(step))
			n, err := q.conn.Write(piece)
			piece = piece[n:]
			switch {
			case errors.Is(err, os.ErrDeadlineExceeded):
				//mutant:stall-excuses-own-lateness
				if steps++; steps >= stallSteps {
					return fmt.Errorf("%w: nothing read for %v", ErrStalled, q.stall)
				}
			case err != nil:
				return fmt.Errorf("send: %w", err)
			}
		}
	}
	return nil
}

// close drops the backlog. The connection must be closed too, or drain continues until its
// deadline.
func (q *outq) close() {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	q.closed = true
	dropped := q.backlog
	for _, it := range dropped {
		q.count(it, -1)
	}
	q.backlog = nil
	q.mu.Unlock()
	for _, it := range dropped {
		it.forget()
	}
}
