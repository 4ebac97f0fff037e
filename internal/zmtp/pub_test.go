package zmtp

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// text waits for the next message and joins its frames with "|".
func (p *rawPeer) text(t testing.TB) string {
	t.Helper()
	var frames []string
	for {
		h, b := p.frame(t)
		if h.command() {
			continue
		}
		if frames = append(frames, string(b)); !h.more() {
			return strings.Join(frames, "|")
		}
	}
}

// Both forms of subscribing, and of unsubscribing.
func TestSubscriptionForms(t *testing.T) {
	forms := map[string]func(on bool, topic string) []byte{
		"message": func(on bool, topic string) []byte {
			if on {
				return message("\x01" + topic)
			}
			return message("\x00" + topic)
		},
		"command": func(on bool, topic string) []byte {
			if on {
				return appendCommand(nil, "SUBSCRIBE", []byte(topic))
			}
			return appendCommand(nil, "CANCEL", []byte(topic))
		},
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			seen := make(chan string, 10)
			p := newPub(t, PubConfig{Filtering: true, OnSubscribe: func(_ *Peer, topic string) { seen <- topic }})
			s := dialPeer(t, p.Addr(), 1, "SUB", "")
			s.say(t, form(true, "a"), form(true, "a"), form(true, "b"), form(true, "end"))
			for _, want := range []string{"a", "b", "end"} {
				if got := receive(t, seen); got != want {
					t.Errorf("subscribed to %q, want %q", got, want)
				}
			}
			s.say(t, form(false, "a"), form(false, "never there"), form(true, "c"))
			receive(t, seen)
			for _, topic := range []string{"a1", "b1", "c1", "d1", "end"} {
				if err := p.Send(topic, []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range []string{"b1|x", "c1|x", "end|x"} {
				if got := s.text(t); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			s.say(t, form(false, "b"), form(false, "c"), form(false, "end"))
			waiting.Until(t, "no subscriber left", func() bool { return p.Stats().Subscribers == 0 })
			if p.Peers() != 1 {
				t.Errorf("%d peers", p.Peers())
			}
		})
	}
}

func TestSubscriptionLimits(t *testing.T) {
	closed := make(chan error, 10)
	p := newPub(t, PubConfig{OnClose: func(_ *Peer, err error) { closed <- err }})
	many := dialPeer(t, p.Addr(), 1, "SUB", "")
	for i := range maxTopics + 1 {
		many.say(t, message(fmt.Sprintf("\x01%d", i)))
	}
	if err := <-closed; !errors.Is(err, ErrSubscription) {
		t.Errorf("too many: %v", err)
	}
	long := dialPeer(t, p.Addr(), 1, "SUB", "")
	long.say(t, appendCommand(nil, "SUBSCRIBE", make([]byte, maxTopic+1)))
	if err := <-closed; !errors.Is(err, ErrSubscription) {
		t.Errorf("too long: %v", err)
	}
	larger := dialPeer(t, p.Addr(), 1, "SUB", "")
	larger.say(t, message(string(make([]byte, 10<<10))))
	if err := <-closed; !errors.Is(err, ErrFrameSize) {
		t.Errorf("too large: %v", err)
	}
	leaver := dialPeer(t, p.Addr(), 1, "SUB", "")
	leaver.say(t, message("\x01"), message("what?"), message(""), message("\x01two", "frames"))
	waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 1 })
	_ = leaver.Close()
	if err := <-closed; !errors.Is(err, io.EOF) {
		t.Errorf("left: %v", err)
	}
	if s := p.Stats(); s.Subscribers != 0 || s.Peers != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestSendRefused(t *testing.T) {
	p := newPub(t, PubConfig{})
	if err := p.Send("topic", nil); !errors.Is(err, ErrFilteringOff) {
		t.Errorf("topic: %v", err)
	}
	_ = p.Close()
	for range shardQueue + 1 { // as many as the queue still accepts
		if err := p.Send("", nil); errors.Is(err, ErrClosed) {
			return
		}
	}
	t.Error("sending on after Close")
}

// One subscriber stops reading. The others get everything, in order; it is disconnected or, if
// so configured, loses messages.
func TestSlowSubscriber(t *testing.T) {
	for _, policy := range []SlowPolicy{CutSlow, DropSlow} {
		t.Run(fmt.Sprint(policy), func(t *testing.T) {
			const n = 1500
			p := newPub(t, PubConfig{Slow: policy, HWMBytes: 1 << 20, Limits: Limits{StallTimeout: time.Hour}})
			slow := dialPeer(t, p.Addr(), 1, "SUB", "slow")
			slow.say(t, message("\x01"))
			var fast []*rawPeer
			for range 3 {
				s := dialPeer(t, p.Addr(), 1, "SUB", "fast")
				s.say(t, message("\x01"))
				fast = append(fast, s)
			}
			waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 4 })
			body := make([]byte, 16<<10)
			for i := range n {
				m := append([]byte(fmt.Sprintf("%06d", i)), body...)
				if err := p.Send("", m); err != nil {
					t.Fatal(err)
				}
				for _, s := range fast {
					if got := s.text(t); got[:6] != fmt.Sprintf("%06d", i) {
						t.Fatalf("got message %s, want %d", got[:6], i)
					}
				}
			}
			s := p.Stats()
			if s.Dropped == 0 || s.BacklogBytes > 1<<20 {
				t.Errorf("stats %+v", s)
			}
			if policy == CutSlow {
				waiting.Until(t, "cut", func() bool { s := p.Stats(); return s.CutSlow == 1 && s.Peers == 3 })
				return
			}
			if s.CutSlow != 0 || s.Peers != 4 {
				t.Errorf("stats %+v", s)
			}
			// What it gets is complete and in order.
			last := ""
			for range 10 {
				got := slow.text(t)[:6]
				if got <= last {
					t.Fatalf("%s after %s", got, last)
				}
				last = got
			}
		})
	}
}

func TestStalledSubscriber(t *testing.T) {
	p := newPub(t, PubConfig{Slow: DropSlow, Limits: Limits{StallTimeout: 100 * time.Millisecond}})
	s := dialPeer(t, p.Addr(), 1, "SUB", "")
	s.say(t, message("\x01"))
	waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 1 })
	// Send until it is cut: while the kernel accepts bytes, the peer is not stalled.
	waiting.Until(t, "cut", func() bool {
		if err := p.Send("", make([]byte, 256<<10)); err != nil {
			t.Fatal(err)
		}
		return p.Stats().CutStalled == 1
	})
	waiting.Until(t, "nothing left", func() bool { s := p.Stats(); return s.BacklogBytes == 0 && s.BacklogPeers == 0 && s.Peers == 0 })
}

// A message larger than the bound still reaches those who keep up.
func TestLargePublication(t *testing.T) {
	p := newPub(t, PubConfig{HWMBytes: 1 << 10})
	_, got := startSub(t, p.Addr().String(), DialConfig{})
	waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 1 })
	if err := p.Send("", make([]byte, 20<<20)); err != nil {
		t.Fatal(err)
	}
	if m := receive(t, got); len(m) != 20<<20 {
		t.Errorf("%d bytes", len(m))
	}
}

// Bursts are combined into few writes; order and count stay.
func TestBurst(t *testing.T) {
	p := newPub(t, PubConfig{Filtering: true, HWM: 100000})
	_, all := startSub(t, p.Addr().String(), DialConfig{})
	_, odd := startSub(t, p.Addr().String(), DialConfig{}, "odd")
	waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 2 })
	const n = 900
	for i := range n {
		topic := []string{"even", "odd"}[i%2]
		if i%7 == 0 {
			topic = ""
		}
		if err := p.Send(topic, []byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		want := fmt.Sprintf("%s|%d", []string{"even", "odd"}[i%2], i)
		if i%7 == 0 {
			want = fmt.Sprint(i)
		}
		if got := receive(t, all); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		if i%7 == 0 || i%2 == 1 {
			if got := receive(t, odd); got != want {
				t.Fatalf("odd: got %q, want %q", got, want)
			}
		}
	}
	if s := p.Stats(); s.Dropped != 0 || s.Sent != n {
		t.Errorf("stats %+v", s)
	}
}

// A publication can be restricted to some peers, or exclude some.
func TestSendToAChoice(t *testing.T) {
	seen := make(chan string, 2)
	p := newPub(t, PubConfig{OnSubscribe: func(p *Peer, _ string) { seen <- strconv.FormatUint(p.ID(), 10) }})
	one := dialPeer(t, p.Addr(), 1, "SUB", "")
	one.say(t, message("\x01"))
	first := receive(t, seen)
	two := dialPeer(t, p.Addr(), 1, "SUB", "")
	two.say(t, message("\x01"))
	receive(t, seen)
	id, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[uint64]bool{id: true}
	for text, to := range map[string]*Choice{"first": {IDs: ids}, "others": {IDs: ids, But: true}} {
		if err := p.SendTo("", []byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Send("", []byte("all")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to   *Choice
		want bool
	}{
		{nil, true},
		{&Choice{IDs: ids}, true},
		{&Choice{IDs: ids, But: true}, true},
		{&Choice{IDs: map[uint64]bool{id + 100: true}}, false},
		{&Choice{IDs: map[uint64]bool{id: true, id + 1: true}, But: true}, false},
	} {
		if got := p.Selects(c.to); got != c.want {
			t.Errorf("%+v selects a peer: %t", c.to, got)
		}
	}
	for s, want := range map[*rawPeer]string{one: "first", two: "others"} {
		if got := s.text(t); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := s.text(t); got != "all" {
			t.Errorf("then %q, want all", got)
		}
	}
}

// A message for one connection reaches only that one, in order with messages for all. A
// connection that has ended, or a topic that is not allowed, is an error.
func TestSendPeer(t *testing.T) {
	seen := make(chan string, 2)
	p := newPub(t, PubConfig{Filtering: true, OnSubscribe: func(p *Peer, _ string) { seen <- strconv.FormatUint(p.ID(), 10) }})
	one := dialPeer(t, p.Addr(), 1, "SUB", "")
	one.say(t, message("\x01"))
	first, err := strconv.ParseUint(receive(t, seen), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	two := dialPeer(t, p.Addr(), 1, "SUB", "")
	two.say(t, message("\x01"))
	receive(t, seen)
	for _, err := range []error{p.Send("", []byte("all")), p.SendPeer(first, "", []byte("bare")), p.SendPeer(first, "topic", []byte("body"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for range 3 { // messages for all wait for the fan-out, those for one do not
		got[one.text(t)] = true
	}
	for _, want := range []string{"all", "bare", "topic|body"} {
		if !got[want] {
			t.Errorf("%q did not come: %v", want, got)
		}
	}
	if err := p.Send("", []byte("end")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all", "end"} {
		if got := two.text(t); got != want {
			t.Errorf("the other got %q, want %q", got, want)
		}
	}
	_ = one.Close()
	waiting.Until(t, "gone", func() bool { return p.Peers() == 1 })
	if err := p.SendPeer(first, "", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("to one that has left: %v", err)
	}
	if err := newPub(t, PubConfig{}).SendPeer(first, "topic", nil); !errors.Is(err, ErrFilteringOff) {
		t.Errorf("topic: %v", err)
	}
}
