package zmtp

import (
	"net/netip"
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

// A peer that opens a connection for one large request is accepted if its address is trusted,
// and its request is charged to the shared budget.
func TestTrustedAddress(t *testing.T) {
	lim := Limits{MaxFrame: 8 << 20, MaxFrameUntrusted: 64 << 10, RequestBytes: 6 << 20}
	var asked netip.Addr
	known := true
	r := newRouter(t, RouterConfig{Limits: lim, Trusted: func(a netip.Addr) bool { asked = a; return known }}, echo)
	big := string(make([]byte, 5<<20))

	p := dialPeer(t, r.Addr(), 1, "REQ", "")
	p.say(t, message("", big))
	if got := p.reply(t); len(got) != len(big)+3 {
		t.Errorf("reply of %d bytes", len(got))
	}
	if asked != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("asked for %v", asked)
	}
	if s := r.Stats(); s.RequestBytes != 0 {
		t.Errorf("the budget still holds %d", s.RequestBytes)
	}

	over := dialPeer(t, r.Addr(), 1, "REQ", "")
	over.say(t, message("", big+big[:3<<20])) // more than the budget: allowed for one message
	if got := over.reply(t); len(got) != 8<<20+3 {
		t.Errorf("reply of %d bytes", len(got))
	}

	known = false
	stranger := dialPeer(t, r.Addr(), 1, "REQ", "")
	_, _ = stranger.Write(message("", big))
	if _, _, err := stranger.tryFrame(); err == nil {
		t.Error("a large frame from an unknown address was answered")
	}
	waiting.Until(t, "cut by its size", func() bool { return r.Stats().CutFrame == 1 })
}

// Gone reports to a handler that nobody waits for its answer.
func TestPeerGone(t *testing.T) {
	peers := make(chan *Peer, 1)
	r := newRouter(t, RouterConfig{}, func(q *Request) { peers <- q.Peer })
	c := dialPeer(t, r.Addr(), 1, "REQ", "")
	c.say(t, message("", "x"))
	p := <-peers
	if p.Gone() {
		t.Error("a living peer is gone")
	}
	_ = c.Close()
	waiting.Until(t, "the peer gone", p.Gone)
}
