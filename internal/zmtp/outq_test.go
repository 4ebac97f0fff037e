package zmtp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// pair returns a queue on a connection, and the connection's other end.
func pair(t *testing.T) (*outq, net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	near, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	q := &outq{maxBytes: 1 << 20, maxItems: 10, stall: time.Minute, gauge: new(gauges)}
	q.open(near)
	q.fail = func(error) { q.close(); _ = near.Close() }
	t.Cleanup(func() {
		q.fail(nil)
		_ = far.Close()
		q.done.Wait()
	})
	return q, far
}

// fill puts items until the socket accepts no more and a backlog begins.
func fill(t *testing.T, q *outq) (sent int) {
	t.Helper()
	for q.gauge.peers.Load() == 0 {
		if err := q.put(item{wire: make([]byte, 64<<10), messages: 1}); err != nil {
			t.Fatal(err)
		}
		sent += 64 << 10
	}
	return sent
}

func TestOutqWritesAtOnce(t *testing.T) {
	q, far := pair(t)
	var left atomic.Int64
	q.sent = func(it item) { left.Add(int64(it.messages)) }
	if err := q.put(item{wire: []byte("head "), body: []byte("body"), messages: 2}); err != nil {
		t.Fatal(err)
	}
	if left.Load() != 2 || q.gauge.bytes.Load() != 0 {
		t.Errorf("%d have left, %d bytes queued", left.Load(), q.gauge.bytes.Load())
	}
	got := make([]byte, 9)
	if _, err := io.ReadFull(far, got); err != nil || string(got) != "head body" {
		t.Errorf("got %q, %v", got, err)
	}
}

// The bound on messages holds, control messages have their own, and all accepted messages
// arrive in order once the peer reads.
func TestOutqBacklog(t *testing.T) {
	q, far := pair(t)
	var left atomic.Int64
	q.sent = func(it item) { left.Add(int64(it.messages)) }
	sent := fill(t, q)
	var tail bytes.Buffer
	taken := int64(sent / (64 << 10))
	for i := 0; ; i++ {
		m := fmt.Appendf(nil, "message %d;", i)
		err := q.put(item{wire: m[:3], body: m[3:], messages: 1})
		if errors.Is(err, ErrSlow) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		tail.Write(m)
		taken++
		for range 100 { // an endless stream of PINGs adds nothing
			_ = q.put(item{wire: []byte("p")})
		}
	}
	if n := q.gauge.messages.Load(); n != 10 {
		t.Errorf("%d messages in the backlog, bound is 10", n)
	}
	q.mu.Lock()
	control := q.control
	q.mu.Unlock()
	if control != maxControl {
		t.Errorf("%d control messages, bound is %d", control, maxControl)
	}
	_ = far.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.CopyN(io.Discard, far, int64(sent)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, tail.Len()+maxControl)
	if _, err := io.ReadFull(far, got); err != nil {
		t.Fatal(err)
	}
	if got = bytes.ReplaceAll(got, []byte("p"), nil); !bytes.Equal(got, tail.Bytes()) {
		t.Errorf("got %q, want %q", got, tail.Bytes())
	}
	q.done.Wait() // no backlog, no goroutine
	if left.Load() != taken || q.gauge.bytes.Load() != 0 || q.gauge.peers.Load() != 0 {
		t.Errorf("%d of %d have left, %d bytes queued", left.Load(), taken, q.gauge.bytes.Load())
	}
	if err := q.put(item{wire: []byte("again"), messages: 1}); err != nil {
		t.Errorf("after the backlog: %v", err)
	}
	if left.Load() != taken+1 {
		t.Error("not written at once after the backlog")
	}
}

func TestOutqBytes(t *testing.T) {
	q, _ := pair(t)
	q.maxItems = 1000
	fill(t, q)
	var err error
	for range 100 {
		if err = q.put(item{wire: make([]byte, 100<<10), messages: 1}); err != nil {
			break
		}
	}
	if n := q.gauge.bytes.Load(); !errors.Is(err, ErrSlow) || n > 1<<20 {
		t.Errorf("%d bytes in the backlog: %v", n, err)
	}
}

func TestOutqStall(t *testing.T) {
	q, _ := pair(t)
	q.stall = 30 * time.Millisecond
	failed := make(chan error, 1)
	stop := q.fail
	q.fail = func(err error) {
		stop(err)
		select {
		case failed <- err:
		default:
		}
	}
	// Put until it fails: while the kernel accepts bytes, the peer is not stalled.
	waiting.Until(t, "stalled", func() bool {
		_ = q.put(item{wire: make([]byte, 64<<10), messages: 1})
		return len(failed) > 0
	})
	if err := <-failed; !errors.Is(err, ErrStalled) {
		t.Errorf("error %v", err)
	}
	if err := q.put(item{wire: []byte("x"), messages: 1}); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
	q.done.Wait()
	if q.gauge.bytes.Load() != 0 || q.gauge.messages.Load() != 0 || q.gauge.peers.Load() != 0 {
		t.Errorf("gauges %d %d %d", q.gauge.bytes.Load(), q.gauge.messages.Load(), q.gauge.peers.Load())
	}
}

func TestOutqBrokenConnection(t *testing.T) {
	q, far := pair(t)
	_ = far.Close()
	waiting.Until(t, "refused", func() bool { return q.put(item{wire: []byte("x"), messages: 1}) != nil })
}
