package zmtp

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// ticket is a place in the table of handshakes. It reads from its connection and knows whether
// we wait for the peer or the peer for us. Received but unread bytes never count against the
// peer, however late we read them.
type ticket struct {
	conn    net.Conn
	addr    netip.Addr
	timeout time.Duration // maximum silence of the peer, in total
	late    *lateness     // of this process, which extends the timeout; nil means never

	since atomic.Int64 // start of the wait for the peer; 0 means none
	spent atomic.Int64 // earlier silence, as it counts against the timeout
	short atomic.Int64 // the same, as it counts while others wait for the place

	raw  syscall.RawConn // nil if it is not a system socket
	try  func(fd uintptr) bool
	buf  []byte // for try
	n    int    // from try
	err  error  // from try
	void bool   // from try: nothing to read
}

// crowded is the timeout for silence while others wait for a place, if that of the ticket is
// longer. Without others, a slow peer gets more time; with them, a peer cannot keep its place
// by a byte now and then.
const crowded = 5 * time.Second

// epoch is the zero of the times in tickets, on the monotonic clock.
var epoch = time.Now()

func newTicket(c net.Conn, addr netip.Addr, timeout time.Duration, late *lateness) *ticket {
	k := &ticket{conn: c, addr: addr, timeout: timeout, late: late}
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil && canReadNow {
			k.raw = raw
			k.try = k.readNow
		}
	}
	return k
}

// Read reads the available bytes. Without any, it waits for the peer.
func (k *ticket) Read(p []byte) (int, error) {
	if k.raw == nil {
		k.await(time.Now())
		n, err := k.conn.Read(p)
		k.heard(time.Now())
		return n, err
	}
	k.buf = p
	defer func() { k.buf = nil }()
	err := k.raw.Read(k.try)
	k.heard(time.Now())
	if errors.Is(err, os.ErrDeadlineExceeded) && k.look() {
		// It has arrived meanwhile: we were late.
		err = nil
	}
	if err == nil {
		err = k.err
	}
	return k.n, err
}

// readNow is called with the socket, first at once and then when it is readable.
func (k *ticket) readNow(fd uintptr) bool {
	k.n, k.void, k.err = readNow(fd, k.buf)
	if k.void {
		k.await(time.Now())
	}
	return !k.void
}

// look reads without blocking, regardless of the deadline.
func (k *ticket) look() bool {
	err := k.raw.Control(func(fd uintptr) { k.n, k.void, k.err = readNow(fd, k.buf) })
	return err == nil && !k.void
}

// await records that we wait for the peer from now on, for as long as it has left.
func (k *ticket) await(now time.Time) {
	if k.silent() { // spurious wake-up
		return
	}
	left := max(k.timeout-time.Duration(k.spent.Load()), 0)
	//mutant:handshake-excuses-own-lateness
	if k.late != nil {
		left = time.Duration(float64(left) * k.late.patient())
	}
	_ = k.conn.SetReadDeadline(now.Add(left))
	k.since.Store(int64(now.Sub(epoch)))
}

// heard records that the wait is over. A long one counts in part: we may have been late to
// notice its end.
func (k *ticket) heard(now time.Time) {
	since := time.Duration(k.since.Swap(0))
	if since != 0 {
		d := now.Sub(epoch) - since
		k.spent.Add(int64(min(d, k.timeout/5)))
		k.short.Add(int64(min(d, k.judged()/5)))
	}
}

// judged returns the timeout while others wait for a place.
//
//mutant:slow-handshakes-in-a-crowd
func (k *ticket) judged() time.Duration { return min(k.timeout, crowded) }

// silent reports whether we wait for the peer.
func (k *ticket) silent() bool { return k.since.Load() != 0 }

// silence returns how long we have waited for the peer in total, of which earlier waits count
// in part.
func (k *ticket) silence(now time.Time) time.Duration {
	d := time.Duration(k.short.Load())
	if since := time.Duration(k.since.Load()); since != 0 {
		d += now.Sub(epoch) - since
	}
	return d
}

// mute reports whether the peer has been silent for patience without interruption, and no bytes
// are unread. Earlier silence does not count: on a busy machine most of it is our own delay in
// noticing its end, and a peer that is cut right after its turn began may have sent READY and
// its request, which would be lost.
func (k *ticket) mute(now time.Time, patience time.Duration) bool {
	//mutant:waiting-handshakes-stay
	return k.idle(now, patience) && !k.unread()
}

// idle is mute without the check for unread bytes. A peer that has used up half of its time
// with silence is idle too, so that it cannot keep its place by a byte now and then.
func (k *ticket) idle(now time.Time, patience time.Duration) bool {
	w := k.waited(now)
	//mutant:handshake-timeout
	return w >= patience || w >= 0 && k.silence(now) >= max(k.judged()/2, patience)
}

// waited returns how long we have been waiting for the peer; negative means that we are not.
func (k *ticket) waited(now time.Time) time.Duration {
	since := time.Duration(k.since.Load())
	if since == 0 {
		return -1
	}
	//mutant:handshake-silence-since-its-turn
	return now.Sub(epoch) - since
}

// unread reports whether the system holds unread bytes of the peer.
func (k *ticket) unread() bool {
	return unreadOf(k.raw)
}

// unread reports whether the system holds unread bytes of c.
func unread(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	return err == nil && unreadOf(raw)
}

func unreadOf(raw syscall.RawConn) bool {
	if raw == nil {
		return false
	}
	n := 0
	if err := raw.Control(func(fd uintptr) { n = unreadBytes(fd) }); err != nil {
		return false
	}
	//mutant:handshake-counts-unread-bytes
	return n > 0
}
