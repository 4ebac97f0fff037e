package zmtp

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// table is a table of handshakes with a clock that the test sets.
type table struct {
	handshakes
	t   *testing.T
	now time.Time
}

func newTable(t *testing.T, limit int) *table {
	x := &table{t: t, now: time.Now()}
	x.open(limit, time.Second)
	x.usual = 0
	return x
}

// put adds a connection from 10.0.0.host whose peer has been silent for that long; if it is
// negative, the peer waits for us.
func (x *table) put(host byte, silent time.Duration) (*ticket, *script) {
	c := newScript(1)
	k := newTicket(c, netip.AddrFrom4([4]byte{10, 0, 0, host}), time.Minute, nil)
	if silent >= 0 {
		k.await(x.now.Add(-silent))
	}
	x.all[k] = struct{}{}
	return k, c
}

// A full table cuts only silent peers: those of the address with the most first, and within an
// address the longest silent. A peer that waits for us is not cut.
func TestHandshakes_WhoGivesWay(t *testing.T) {
	x := newTable(t, 7)
	_, busy := x.put(1, -1)
	_, short := x.put(2, time.Second/2)
	var closed []*script
	for _, p := range []struct {
		host   byte
		silent time.Duration
	}{{3, 9 * time.Second}, {4, 3 * time.Second}, {4, 5 * time.Second}, {4, 4 * time.Second}, {5, 6 * time.Second}} {
		_, c := x.put(p.host, p.silent)
		closed = append(closed, c)
	}
	for _, want := range []int{2, 3, 0, 4, 1} { // the longest silent of 4, until 4 has no more than the others
		if _, ok := x.evict(x.now); !ok {
			t.Fatal("nobody gave way")
		}
		for i, c := range closed {
			if c != nil && c.closed != (i == want) {
				t.Fatalf("connection %d: closed %v, number %d was to go", i, c.closed, want)
			}
		}
		closed[want] = nil
	}
	if wait, ok := x.evict(x.now); ok || wait <= 0 || busy.closed || short.closed {
		t.Errorf("one that is not silent, or not for long, gave way: %v", ok)
	}
	if x.evicted.Load() != 5 || x.len() != 2 {
		t.Errorf("%d evicted, %d left", x.evicted.Load(), x.len())
	}
}

// Earlier silence, or silence that we noticed late, does not get a peer cut right after its
// turn has begun again, when its READY and request may be in flight. In practice two thousand
// stock minions returned at once to a master with 1,024 places on a busy machine; each such cut
// cost one of them 5 to 10 s.
func TestHandshakes_EarlierSilenceDoesNotCut(t *testing.T) {
	x := newTable(t, 1)
	k, c := x.put(1, 4*time.Second)
	k.heard(x.now)
	k.await(x.now)
	if _, ok := x.evict(x.now.Add(x.patience / 2)); ok || c.closed {
		t.Error("it was cut for what it was silent before")
	}
	if _, ok := x.evict(x.now.Add(x.patience)); !ok || !c.closed {
		t.Error("it was not cut although it is silent now")
	}
}

// A peer that sends a byte now and then to keep its place loses it after 2.5 s; it would have a
// minute if nobody waited.
func TestHandshakes_DrippingDoesNotKeepAPlace(t *testing.T) {
	x := newTable(t, 1)
	k, c := x.put(1, 0)
	for range 4 {
		x.now = x.now.Add(x.patience * 3 / 4)
		k.heard(x.now)
		k.await(x.now)
	}
	if _, ok := x.evict(x.now); !ok || !c.closed {
		t.Errorf("it has its place still, %v in all", k.silence(x.now))
	}
}

// If honest peers are slow, silent ones get more time, up to twelve times as much.
func TestHandshakes_PatienceFollowsTheHonest(t *testing.T) {
	x := newTable(t, 1)
	x.patience = 100 * time.Millisecond
	for range 100 {
		k, _ := x.put(1, 100*time.Millisecond)
		x.remove(k, true)
	}
	_, c := x.put(2, 200*time.Millisecond)
	if _, ok := x.evict(x.now); ok || c.closed {
		t.Error("it was cut within the time that others take")
	}
	x.usual = 0
	x.late.note(50 * time.Millisecond)
	if _, ok := x.evict(x.now); ok || c.closed {
		t.Error("it was cut while this process gets its turns late")
	}
	x.usual = time.Hour
	k, _ := x.put(3, mostPatience*x.patience)
	if _, ok := x.evict(x.now); !ok || x.remove(k, true) {
		t.Error("patience has no end")
	}
}

// A crowd that connects to a machine that stalls for two seconds is not cut, because nobody has
// shown yet how long honest peers take. In practice 2,500 stock minions of one process started
// at once, and 57 of them were cut after a second.
func TestHandshakes_AHerdThatStallsIsNotCut(t *testing.T) {
	x := &table{t: t, now: time.Now()}
	var l Limits
	l = l.withDefaults()
	x.open(l.MaxHandshakes, l.HandshakePatience)
	var herd []*script
	for range l.MaxHandshakes {
		_, c := x.put(1, 2*time.Second)
		herd = append(herd, c)
	}
	if wait, ok := x.evict(x.now); ok || wait <= 0 {
		t.Error("one of the herd was cut")
	}
	if _, ok := x.evict(x.now.Add(time.Second)); !ok {
		t.Error("mute peers keep others out for more than three seconds")
	}
	for _, c := range herd[1:] {
		_ = c.Close()
	}
}

// Minions that retry come in waves. The first of a wave are fast; the others of the same
// machine take forty times as long and must not be cut for that. So the estimate follows the
// slow peers, and is forgotten in half a minute. Sizes and times are those of 2,500 stock
// minions that signed in at once, of which 184 were cut.
func TestHandshakes_AWaveIsNotCut(t *testing.T) {
	x := &table{t: t}
	var l Limits
	l = l.withDefaults()
	x.open(l.MaxHandshakes, l.HandshakePatience)
	x.now = x.at
	cut := func(silent time.Duration) bool {
		k, _ := x.put(1, silent)
		_, cut := x.evict(x.now)
		delete(x.all, k)
		return cut
	}
	finish := func(n int, silent time.Duration) {
		for range n {
			x.now = x.now.Add(2 * time.Millisecond)
			x.learn(silent, x.now)
		}
	}
	finish(600, 5*time.Millisecond)
	if cut(400 * time.Millisecond) {
		t.Error("after the fast ones of the herd the slow ones are cut")
	}
	finish(5000, 5*time.Millisecond)
	finish(10, 150*time.Millisecond)
	if cut(600 * time.Millisecond) {
		t.Error("a wave is cut that takes longer than those before")
	}
	finish(2000, 5*time.Millisecond)
	if !cut(time.Second) {
		t.Error("mute peers keep their places although the honest are fast")
	}
	x.now = x.now.Add(time.Minute)
	if cut(2 * time.Second) {
		t.Error("a herd that comes back is held to what was a minute ago")
	}
}

// Received but unread bytes end a peer's silence, both in a full table and at the end of its
// time.
func TestHandshakes_OurOwnBacklogDoesNotCount(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	dial := func() (near, far net.Conn) {
		t.Helper()
		near, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far, err = ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = near.Close(), far.Close() })
		return near, far
	}
	x := newTable(t, 2)
	enter := func(c net.Conn, timeout time.Duration) *ticket {
		k := newTicket(c, sourceAddr(c), timeout, nil)
		k.await(x.now.Add(-5 * time.Second)) // and our reader is not scheduled
		x.all[k] = struct{}{}
		return k
	}
	speaker, far := dial()
	spoke := enter(far, time.Second)
	_, far = dial()
	mute := enter(far, time.Second)
	if _, err := speaker.Write([]byte("it has spoken")); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "its word is here", spoke.unread)
	for range 2 {
		x.evict(x.now)
	}
	if x.evicted.Load() != 1 || x.remove(mute, true) {
		t.Error("not the mute one gave way")
	}
	// Its second and its deadline are over; still its bytes are read.
	_ = spoke.conn.SetReadDeadline(time.Now().Add(-time.Second))
	b := make([]byte, 100)
	n, err := spoke.Read(b)
	if err != nil || string(b[:n]) != "it has spoken" {
		t.Errorf("%q, %v", b[:n], err)
	}
	// The wait for more ends when its time is over, and not before.
	spoke.spent.Store(int64(spoke.timeout - time.Millisecond))
	if _, err := spoke.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestHandshakes_Closing(t *testing.T) {
	x := newTable(t, 2)
	k, c := x.put(1, 0)
	if !x.remove(k, true) || x.remove(k, true) || c.closed {
		t.Error("a handshake must finish once")
	}
	_, c = x.put(1, 0)
	x.closeAll()
	if !c.closed {
		t.Error("closeAll closes what is in the table")
	}
	late := newScript(1)
	if x.add(late, netip.Addr{}, time.Second, nil) != nil || !late.closed {
		t.Error("a closed table takes nothing")
	}
}
