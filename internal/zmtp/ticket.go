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

// ticket is a place in the table of handshakes, and the way its connection is read:
// it knows whether the peer is waited for, or waits for us. What the peer has sent
// and we have not read yet never counts against it, however long that takes us.
type ticket struct {
	conn    net.Conn
	addr    netip.Addr
	timeout time.Duration // for which a peer may be silent, all its silences together
	late    *lateness     // of this process, which gives it more; nil: never

	since atomic.Int64 // when the wait for the peer began; 0: it is not waited for
	spent atomic.Int64 // the silences before that, as they count against its timeout
	short atomic.Int64 // the same as they count while others wait for its place

	raw  syscall.RawConn // nil: not a system's socket
	try  func(fd uintptr) bool
	buf  []byte // for try
	n    int    // from try
	err  error  // from try
	void bool   // from try: nothing was there
}

// crowded is the timeout by which silences are judged while others wait for a place, if
// that of the ticket is longer: a machine without need has patience with a peer that does
// not get its turn, and not with one that says a byte now and then to keep its place.
const crowded = 5 * time.Second

// epoch is what the times of tickets count from, by the clock that cannot jump.
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

// Read reads what is there, and waits for the peer if nothing is.
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
		// It has come meanwhile: who was late was us.
		err = nil
	}
	if err == nil {
		err = k.err
	}
	return k.n, err
}

// readNow is called with the socket, first at once and then when there is something.
func (k *ticket) readNow(fd uintptr) bool {
	k.n, k.void, k.err = readNow(fd, k.buf)
	if k.void {
		k.await(time.Now())
	}
	return !k.void
}

// look reads without waiting, whatever the deadline says.
func (k *ticket) look() bool {
	err := k.raw.Control(func(fd uintptr) { k.n, k.void, k.err = readNow(fd, k.buf) })
	return err == nil && !k.void
}

// await notes that the peer is waited for from now on, for as long as it has left.
func (k *ticket) await(now time.Time) {
	if k.silent() { // woken for nothing
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

// heard notes that the wait is over. A long one counts in part: we may have been
// late to notice its end.
func (k *ticket) heard(now time.Time) {
	since := time.Duration(k.since.Swap(0))
	if since != 0 {
		d := now.Sub(epoch) - since
		k.spent.Add(int64(min(d, k.timeout/5)))
		k.short.Add(int64(min(d, k.judged()/5)))
	}
}

// judged is the timeout while others wait for a place.
//
//mutant:slow-handshakes-in-a-crowd
func (k *ticket) judged() time.Duration { return min(k.timeout, crowded) }

// silent tells whether the peer is waited for.
func (k *ticket) silent() bool { return k.since.Load() != 0 }

// silence is how long the peer has been waited for until now, in all; of each wait before
// a part.
func (k *ticket) silence(now time.Time) time.Duration {
	d := time.Duration(k.short.Load())
	if since := time.Duration(k.since.Load()); since != 0 {
		d += now.Sub(epoch) - since
	}
	return d
}

// mute tells whether the peer has been silent for as long as that without a break, and
// has said nothing that we have only not read yet. Silences before do not count: on a
// busy machine most of each is our own delay in noticing its end, and a peer that was cut
// a moment after its turn began may have sent READY and its request, which would be lost.
func (k *ticket) mute(now time.Time, patience time.Duration) bool {
	//mutant:waiting-handshakes-stay
	return k.idle(now, patience) && !k.unread()
}

// idle is mute without a look at what we have not read yet. One that has used up half of
// its time with silences is idle as well: it may say a byte now and then to keep its
// place.
func (k *ticket) idle(now time.Time, patience time.Duration) bool {
	w := k.waited(now)
	//mutant:handshake-timeout
	return w >= patience || w >= 0 && k.silence(now) >= max(k.judged()/2, patience)
}

// waited is how long the peer is waited for now, below 0: it is not.
func (k *ticket) waited(now time.Time) time.Duration {
	since := time.Duration(k.since.Load())
	if since == 0 {
		return -1
	}
	//mutant:handshake-silence-since-its-turn
	return now.Sub(epoch) - since
}

// unread tells whether the system holds something that the peer has said.
func (k *ticket) unread() bool {
	return unreadOf(k.raw)
}

// unread tells whether the system holds something for us to read from c.
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
