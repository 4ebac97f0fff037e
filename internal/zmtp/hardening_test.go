package zmtp

import (
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// probe is an honest peer: a complete handshake and one request.
func probe(t *testing.T, addr net.Addr) {
	t.Helper()
	p := dialPeer(t, addr, 1, "REQ", "")
	p.say(t, message("", "hello"))
	if got := p.reply(t); got != "re:hello" {
		t.Errorf("got %q", got)
	}
	_ = p.Close()
}

// heap returns the memory in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func TestHugeFrames(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	before := heap()
	for shift := 24; shift < 63; shift++ {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		size := uint64(1) << shift
		p.say(t, []byte{
			flagLong, byte(size >> 56), byte(size >> 48), byte(size >> 40), byte(size >> 32),
			byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size),
		})
		p.gone(t)
	}
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("%d bytes more", grown)
	}
	probe(t, r.Addr())
	waiting.Until(t, "39 cuts to be counted", func() bool { return r.Stats().CutFrame == 39 })
}

// Memory follows the received bytes, not the declared length.
func TestDeclaredButNotSent(t *testing.T) {
	const size = 60 << 20
	r := newRouter(t, RouterConfig{Limits: Limits{MaxFrameUntrusted: size}}, echo)
	before := heap()
	for range 200 {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		p.say(t, appendHeader(nil, 0, size), make([]byte, 100))
	}
	probe(t, r.Addr())
	waiting.Until(t, "200 bodies begun", func() bool { return r.Stats().UntrustedBytes == 200*firstPiece })
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("%d MiB more for 12 GB declared", grown>>20)
	}
	_ = r.Close()
	if s := r.Stats(); s.UntrustedBytes != 0 {
		t.Errorf("budget still holds %d", s.UntrustedBytes)
	}
}

// Untrusted peers share a budget separate from that of trusted ones. Peers that stop in the
// middle of a message delay only strangers, and are cut for it.
func TestBudget(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{UntrustedBytes: 1 << 20, RequestPatience: 20 * time.Millisecond}}, func(r *Request) {
		if string(r.Body) == "me" {
			r.Peer.Trust()
		}
		echo(r)
	})
	trusted := dialPeer(t, r.Addr(), 1, "REQ", "")
	trusted.say(t, message("", "me"))
	trusted.reply(t)
	for range 6 { // more than there is room for
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		p.say(t, appendHeader(message("", "")[:2], 0, 2<<20), make([]byte, 300<<10))
	}
	waiting.Until(t, "one waits", func() bool { return r.Stats().BudgetWaits > 0 })
	trusted.say(t, message("", string(make([]byte, 3<<20))))
	if got := trusted.reply(t); len(got) != 3<<20+3 {
		t.Errorf("%d bytes", len(got))
	}
	stranger := dialPeer(t, r.Addr(), 1, "REQ", "")
	stranger.say(t, message("", string(make([]byte, 3<<20))))
	if got := stranger.reply(t); len(got) != 3<<20+3 {
		t.Errorf("%d bytes", len(got))
	}
	waiting.Until(t, "a cut to be counted", func() bool { return r.Stats().CutBudget > 0 })
	probe(t, r.Addr())
}

func TestEndlessMore(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	p := dialPeer(t, r.Addr(), 1, "REQ", "")
	frame := appendFrame(nil, flagMore, make([]byte, 255))
	for range 1000 {
		if _, err := p.Write(frame); err != nil {
			break
		}
	}
	p.gone(t)
	probe(t, r.Addr())
	waiting.Until(t, "the cut to be counted", func() bool { return r.Stats().CutFrame == 1 }) // after the connection is closed
	if s := r.Stats(); s.Requests != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestSlowFrame(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{FrameTimeout: 50 * time.Millisecond}}, echo)
	half := [][]byte{
		{0},                      // half a header
		{flagMore, 0},            // half a message
		{0, 9, 'a'},              // half a body
		{flagCommand, 9, 4, 'P'}, // half a command
		append(appendHeader(nil, 0, 9<<10), make([]byte, 9000)...),
	}
	for _, b := range half {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		p.say(t, b)
		p.gone(t)
	}
	idle := dialPeer(t, r.Addr(), 1, "REQ", "")
	waiting.Until(t, "all cut", func() bool { return r.Stats().CutLate == uint64(len(half)) })
	idle.say(t, message("", "hello")) // not in the middle of a frame: may take its time
	if got := idle.reply(t); got != "re:hello" {
		t.Errorf("got %q", got)
	}
}

func TestBadHandshakes(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	bad := [][]byte{
		[]byte("GET / HTTP/1.1\r\nHost: salt\r\n\r\n"),
		append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 1}, make([]byte, 53)...),
		append(greeting(1), appendCommand(nil, "READY", []byte("\x05a"))...),
		append(greeting(1), appendCommand(nil, "READY", []byte("\x0bSocket-Type\xff\xff\xff\xffREQ"))...),
		append(greeting(1), readyFrame("unheard of", "")...),
		append(greeting(1), readyFrame("SUB", "")...),
		append(greeting(1), message("a")...),
	}
	for i, b := range bad {
		p := dialRaw(t, r.Addr())
		p.say(t, b)
		p.gone(t)
		waiting.Until(t, fmt.Sprintf("failure %d counted", i), func() bool { return r.Stats().HandshakeFailed == uint64(i+1) })
	}
	probe(t, r.Addr())
	waiting.Until(t, "nothing left behind", func() bool { s := r.Stats(); return s.Peers == 0 && s.Handshaking == 0 })
}

// Mute connections lose their places to newer ones. Meanwhile honest ones succeed, and memory
// is bounded by the table.
func TestMuteConnections(t *testing.T) {
	const table, flood = 64, 2000
	r := newRouter(t, RouterConfig{Limits: Limits{MaxHandshakes: table, HandshakePatience: 5 * time.Millisecond}}, echo)
	before := heap()
	for i := range flood {
		c := dialRaw(t, r.Addr())
		switch i % 3 {
		case 1:
			_, _ = c.Write([]byte{0xff})
		case 2:
			_, _ = c.Write(greeting(1))
		}
		if i%500 == 499 {
			probe(t, r.Addr())
		}
	}
	waiting.Until(t, "evictions", func() bool {
		s := r.Stats()
		return s.Evicted >= flood-table && s.Handshaking <= table && s.Peers == 0
	})
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("%d MiB more", grown>>20)
	}
	probe(t, r.Addr())
}

func TestHandshakeTimeout(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{HandshakeTimeout: 50 * time.Millisecond}}, echo)
	for _, b := range [][]byte{nil, {0xff}, greeting(1), append(greeting(1), 4)} {
		p := dialRaw(t, r.Addr())
		p.say(t, b)
		p.gone(t)
	}
	waiting.Until(t, "all gone", func() bool { s := r.Stats(); return s.HandshakeFailed == 4 && s.Handshaking == 0 })
}

func TestConnectionLimits(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{MaxConns: 5, MaxConnsPerAddr: 3}}, echo)
	from := func(host string, n int) {
		for range n {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
			c, err := d.Dial("tcp", r.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			_, _ = c.Write(append(greeting(1), readyFrame("REQ", "")...))
		}
	}
	from("127.0.0.2", 4)
	waiting.Until(t, "one too many from one address", func() bool { return r.Stats().RefusedAddr == 1 })
	from("127.0.0.3", 3)
	waiting.Until(t, "one too many in all", func() bool { return r.Stats().RefusedFull == 1 })
	waiting.Until(t, "the others served", func() bool { return r.Stats().Peers == 5 })
}

// floods makes peers send large requests, and read no replies, until the router hangs up.
func floods(t *testing.T, addr net.Addr, n int) {
	t.Helper()
	request := message("", string(make([]byte, 1<<20)))
	for range n {
		p := dialPeer(t, addr, 1, "DEALER", "")
		go func() {
			for {
				if _, err := p.Write(request); err != nil {
					return
				}
			}
		}()
	}
}

// Peers that send requests and read no replies are stopped by their credit, and do not delay
// others.
func TestRouterSlowReaders(t *testing.T) {
	const credit = 3
	r := newRouter(t, RouterConfig{Credit: credit, Limits: Limits{StallTimeout: time.Hour}}, echo)
	floods(t, r.Addr(), 4)
	waiting.Until(t, "backlogs", func() bool { s := r.Stats(); return s.BacklogPeers == 4 && s.CreditWaits >= 4 })
	probe(t, r.Addr())
	if s := r.Stats(); s.BacklogPeers != 4 || s.BacklogBytes > 4*credit*(1<<20+64) {
		t.Errorf("stats %+v", s)
	}
}

// They are cut in the end, and leave nothing behind.
func TestRouterCutsSlowReadersOff(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{StallTimeout: 200 * time.Millisecond}}, echo)
	floods(t, r.Addr(), 4)
	waiting.Until(t, "all cut", func() bool { return r.Stats().CutStalled == 4 })
	waiting.Until(t, "no backlog", func() bool {
		s := r.Stats()
		return s.BacklogPeers == 0 && s.BacklogBytes == 0 && s.BacklogMessages == 0
	})
	probe(t, r.Addr())
}
