package zmtp

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		frames   []string
		envelope string
		body     string
		ok       bool
	}{
		{[]string{"", "b"}, "\x01\x00", "b", true},
		{[]string{"", ""}, "\x01\x00", "", true},
		{[]string{"\x00\x00\x00\x07", "", "b"}, "\x01\x04\x00\x00\x00\x07\x01\x00", "b", true},
		{[]string{"a", "b", "", "c"}, "\x01\x01a\x01\x01b\x01\x00", "c", true},
		{[]string{"b"}, "", "", false},
		{[]string{""}, "", "", false},
		{[]string{"a", "b"}, "", "", false},
		{[]string{"", "b", "c"}, "", "", false},
		{nil, "", "", false},
	} {
		frames := make([][]byte, len(c.frames))
		for i, f := range c.frames {
			frames[i] = []byte(f)
		}
		envelope, body, err := splitEnvelope(frames)
		if string(envelope) != c.envelope || string(body) != c.body || (err == nil) != c.ok {
			t.Errorf("%q: got %q %q %v", c.frames, envelope, body, err)
		}
	}
}

// Two connections claim one identity: the newer is served at once, and each gets its own
// replies, even those to requests before the second connection.
func TestHandover(t *testing.T) {
	held := make(chan *Request, 1)
	r := newRouter(t, RouterConfig{}, func(q *Request) {
		if string(q.Body) == "hold" {
			held <- q
			return
		}
		q.Reply([]byte(q.Peer.Identity() + " " + string(q.Body)))
	})
	old := dialPeer(t, r.Addr(), 1, "REQ", "victim")
	old.say(t, message("", "hold"))
	first := <-held
	thief := dialPeer(t, r.Addr(), 1, "REQ", "victim")
	thief.say(t, message("", "mine"))
	if got := thief.reply(t); got != "victim mine" {
		t.Errorf("newer got %q", got)
	}
	first.Reply([]byte("secret"))
	if got := old.reply(t); got != "secret" {
		t.Errorf("older got %q", got)
	}
	thief.say(t, message("", "again"))
	if got := thief.reply(t); got != "victim again" {
		t.Errorf("newer got %q", got)
	}
}

// Replies may be sent in any order, twice, from any goroutine, and after the peer has left.
func TestReplyLater(t *testing.T) {
	held := make(chan *Request, 10)
	r := newRouter(t, RouterConfig{Credit: 3}, func(q *Request) { held <- q })
	p := dialPeer(t, r.Addr(), 1, "DEALER", "")
	var three []*Request
	for i := range 4 {
		p.say(t, message(fmt.Sprint(i), "", "body"))
	}
	for range 3 {
		three = append(three, <-held)
	}
	waiting.Until(t, "the credit used up", func() bool { return r.Stats().CreditWaits == 1 })
	select {
	case <-held:
		t.Fatal("a fourth request on three credits")
	default:
	}
	for _, i := range []int{2, 0} {
		three[i].Reply([]byte("yes"))
		three[i].Reply([]byte("twice"))
		if h, id := p.frame(t); !h.more() || string(id) != fmt.Sprint(i) {
			t.Errorf("reply to %q, want %d", id, i)
		}
		if got := p.reply(t); got != "yes" {
			t.Errorf("got %q", got)
		}
	}
	fourth := <-held
	three[1].Drop()
	_ = p.Close()
	waiting.Until(t, "gone", func() bool { return r.Stats().Peers == 0 })
	fourth.Reply([]byte("too late"))
	if s := r.Stats(); s.Replies != 2 || s.LostReplies != 1 || s.Dropped != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestMalformedRequest(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	for _, m := range [][]byte{message("no empty frame"), message("", "two", "bodies")} {
		p := dialPeer(t, r.Addr(), 1, "DEALER", "")
		p.say(t, m)
		p.gone(t)
	}
	waiting.Until(t, "both counted", func() bool { return r.Stats().CutFrame == 2 })
}

func TestRouterOverIPv6(t *testing.T) {
	r, err := ListenRouter("tcp://[::1]:0", RouterConfig{}, echo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	q := newReq(t, r.Addr().String(), DialConfig{SourceAddr: "::1"})
	reply, err := q.Do(t.Context(), []byte("six"))
	if err != nil || string(reply) != "re:six" {
		t.Errorf("got %q, %v", reply, err)
	}
}

func TestListenFails(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	for _, addr := range []string{r.Addr().String(), "127.0.0.1", "tcp://127.0.0.1:port"} {
		if _, err := ListenRouter(addr, RouterConfig{}, echo); err == nil || !strings.HasPrefix(err.Error(), "router socket: ") {
			t.Errorf("%s: %v", addr, err)
		}
		if _, err := ListenPub(addr, PubConfig{}); err == nil || !strings.HasPrefix(err.Error(), "pub socket: ") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// Peers that connect and disconnect while requests are in flight leave nothing behind.
func TestRouterChurn(t *testing.T) {
	r := newRouter(t, RouterConfig{}, func(q *Request) { go echo(q) })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 10 {
				q := NewReq(r.Addr().String(), DialConfig{Identity: "same"})
				if reply, err := q.Do(t.Context(), []byte("x")); err != nil || string(reply) != "re:x" {
					t.Errorf("got %q, %v", reply, err)
				}
				_ = q.Close()
			}
		})
	}
	wg.Wait()
	waiting.Until(t, "all gone", func() bool { s := r.Stats(); return s.Peers == 0 && s.Handshaking == 0 })
}

// left is called once: when the reply was sent, when it is dropped with its connection, or when
// it cannot be sent; not while it waits.
func TestReplyThen(t *testing.T) {
	var left atomic.Int64
	count := func() { left.Add(1) }
	held := make(chan *Request, 10)
	r := newRouter(t, RouterConfig{}, func(q *Request) { held <- q })
	p := dialPeer(t, r.Addr(), 1, "DEALER", "")
	ask := func() *Request {
		p.say(t, message("", "body"))
		return <-held
	}
	q := ask()
	q.ReplyThen([]byte("yes"), count)
	if got := p.reply(t); got != "yes" {
		t.Errorf("got %q", got)
	}
	waiting.Until(t, "the reply left", func() bool { return left.Load() == 1 })
	if q.ReplyThen([]byte("twice"), count); left.Load() != 2 {
		t.Error("a second reply to one request is kept")
	}
	large, behind, late := ask(), ask(), ask()
	large.ReplyThen(make([]byte, 32<<20), count) // the peer does not read it
	behind.ReplyThen([]byte("behind"), count)
	if n := left.Load(); n != 2 {
		t.Errorf("%d have left, and two wait", n-2)
	}
	_ = p.Close()
	waiting.Until(t, "what waited is dropped", func() bool { return left.Load() == 4 })
	late.ReplyThen([]byte("late"), count)
	waiting.Until(t, "what goes nowhere", func() bool { return left.Load() == 5 })
}
