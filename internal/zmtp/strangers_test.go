package zmtp

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// alive checks that a peer is not cut: it answers a PING.
func (p *rawPeer) alive(t *testing.T) {
	t.Helper()
	p.say(t, pingWire(0))
	_ = p.SetReadDeadline(time.Now().Add(20 * time.Second))
	p.frame(t)
}

// ask sends a request and requires its reply.
func (p *rawPeer) ask(t *testing.T) {
	t.Helper()
	p.say(t, message("", "x"))
	_ = p.SetReadDeadline(time.Now().Add(20 * time.Second))
	if got := p.reply(t); got != "re:x" {
		t.Errorf("answered by %q", got)
	}
}

// Strangers that are silent after their handshake, or have begun a message, or send PINGs, take
// no place from others: on a full socket the longest idle one goes. A trusted peer stays, and
// so does one that waits for its reply.
func TestStrangers_GiveWayToRequests(t *testing.T) {
	const places = 8
	held := make(chan *Request, 1)
	r := newRouter(t, RouterConfig{Limits: Limits{MaxConns: places, StrangerPatience: time.Nanosecond}}, func(q *Request) {
		switch string(q.Body) {
		case "hold":
			held <- q
			return
		case "trust":
			q.Peer.Trust()
		}
		echo(q)
	})
	known := dialPeer(t, r.Addr(), 1, "REQ", "")
	known.say(t, message("", "trust"))
	known.reply(t)
	busy := dialPeer(t, r.Addr(), 1, "REQ", "")
	busy.say(t, message("", "hold"))
	q := <-held
	var idle []*rawPeer
	for i := range places - 2 {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		waiting.Until(t, "it is there", func() bool { return r.Stats().Peers == 3+i })
		idle = append(idle, p)
	}
	idle[0].say(t, message("", "a long request")[:5]) // and no more
	idle[1].alive(t)
	var honest []*rawPeer
	for range 3 {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		p.ask(t)
		honest = append(honest, p)
	}
	for _, p := range idle[:3] {
		p.gone(t)
	}
	for _, p := range append(append([]*rawPeer{known}, idle[3:]...), honest...) {
		p.alive(t)
	}
	q.Reply([]byte("late"))
	if got := busy.reply(t); got != "late" {
		t.Errorf("who had waited was answered by %q", got)
	}
	waiting.Until(t, "three cuts to be counted", func() bool { return r.Stats().CutIdle == 3 })
	if s := r.Stats(); s.RefusedFull != 0 || s.Peers != places {
		t.Errorf("%d refused, %d there", s.RefusedFull, s.Peers)
	}
}

// A trusted subscriber stays. Of the others, those at addresses of trusted peers go last, and
// not before their time.
func TestStrangers_GiveWayToSubscribers(t *testing.T) {
	home := netip.MustParseAddr("127.0.0.9")
	for name, c := range map[string]struct {
		patience time.Duration
		refused  bool
	}{"in time": {time.Nanosecond, false}, "later": {time.Hour, true}, "never": {-1, true}} {
		t.Run(name, func(t *testing.T) {
			var peers []*Peer
			came := make(chan *Peer, 100)
			p := newPub(t, PubConfig{
				Limits: Limits{MaxConns: 4, StrangerPatience: time.Nanosecond}, Trusted: func(a netip.Addr) bool { return a == home }, TrustedFor: c.patience,
				OnSubscribe: func(p *Peer, _ string) { came <- p },
			})
			subscribe := func(from string) *rawPeer {
				d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
				s := dialPeerBy(t, d, p.Addr(), 1, "SUB", "")
				s.say(t, appendFrame(nil, 0, []byte{1}))
				is := <-came
				peers = append(peers, is)
				// Until its reader waits again it is not idle.
				waiting.Until(t, "its reader waits", func() bool { return is.reading.Load() && is.idle(time.Since(epoch)) > 0 })
				return s
			}
			proven, ofHome, first, second := subscribe("127.0.0.2"), subscribe("127.0.0.9"), subscribe("127.0.0.3"), subscribe("127.0.0.3")
			peers[0].Trust()
			third := subscribe("127.0.0.4")
			first.gone(t) // the first at the address that has two
			fourth := subscribe("127.0.0.5")
			second.gone(t)
			peers[4].Trust()
			peers[5].Trust()
			fifth := dialRaw(t, p.Addr())
			if c.refused {
				fifth.gone(t)
				ofHome.alive(t)
			} else {
				ofHome.gone(t)
			}
			for _, s := range []*rawPeer{proven, third, fourth} {
				s.alive(t)
			}
			want := uint64(0)
			if c.refused {
				want = 1
			}
			waiting.Until(t, "the cut to be counted", func() bool { return p.Stats().CutIdle >= 3-want })
			if s := p.Stats(); s.RefusedFull != want || s.CutIdle != 3-want {
				t.Errorf("%d cut, %d refused", s.CutIdle, s.RefusedFull)
			}
		})
	}
}

// Strangers of one socket also give way to the peers of another with which it shares its room,
// down to its reserved part.
func TestStrangers_OfAnotherSocketGiveWay(t *testing.T) {
	room := &Room{total: 16}
	trust := func(q *Request) { q.Peer.Trust(); echo(q) }
	r := newRouter(t, RouterConfig{Limits: Limits{Room: room, StrangerPatience: time.Nanosecond}}, trust)
	p := newPub(t, PubConfig{Limits: Limits{Room: room, StrangerPatience: time.Nanosecond}})
	for range 14 {
		dialPeer(t, p.Addr(), 1, "SUB", "")
	}
	waiting.Until(t, "all there, and idle", func() bool {
		idle := 0
		for _, s := range p.host.snapshot(nil) {
			if s.idle(time.Since(epoch)) > 0 {
				idle++
			}
		}
		return idle == 14
	})
	for range 14 {
		dialPeer(t, r.Addr(), 1, "REQ", "").ask(t)
	}
	dialRaw(t, r.Addr()).gone(t)
	waiting.Until(t, "the cut to be counted", func() bool { return p.Stats().CutIdle >= 12 })
	if s, q := r.Stats(), p.Stats(); s.Peers != 14 || s.CutIdle != 0 || q.CutIdle != 12 || s.RefusedFull != 1 {
		t.Errorf("%d requesters, %d cut; %d subscribers cut; %d refused", s.Peers, s.CutIdle, q.CutIdle, s.RefusedFull)
	}
}
