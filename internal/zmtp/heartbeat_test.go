package zmtp

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

const (
	beatEvery = 40 * time.Millisecond
	beatLimit = 160 * time.Millisecond
)

// awaitPing reads frames until a PING comes.
func awaitPing(t *testing.T, p *rawPeer) {
	t.Helper()
	for {
		h, b := p.frame(t)
		if name, _, err := splitCommand(b); h.command() && err == nil && string(name) == "PING" {
			return
		}
	}
}

// A peer that answers stays; one that falls silent is cut; one too old to know PING stays.
func TestHeartbeats(t *testing.T) {
	r := newRouter(t, RouterConfig{HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit}, echo)
	deaf := dialPeer(t, r.Addr(), 1, "REQ", "")
	old := dialPeer(t, r.Addr(), 0, "REQ", "")
	good := dialPeer(t, r.Addr(), 1, "REQ", "")
	for range 8 { // twice the limit
		awaitPing(t, good)
		good.say(t, appendCommand(nil, "PONG", nil))
	}
	deaf.gone(t)
	awaitPing(t, old)
	waiting.Until(t, "one to be counted as cut, and two to stay", func() bool { s := r.Stats(); return s.CutSilent == 1 && s.Peers == 2 })
	for _, p := range []*rawPeer{old, good} {
		p.say(t, message("", "hello"))
		if got := p.reply(t); got != "re:hello" {
			t.Errorf("got %q", got)
		}
	}
}

// A 3.0 peer that has answered once must keep answering.
func TestHeartbeatLearned(t *testing.T) {
	r := newRouter(t, RouterConfig{HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit}, echo)
	p := dialPeer(t, r.Addr(), 0, "REQ", "")
	awaitPing(t, p)
	p.say(t, appendCommand(nil, "PONG", nil))
	p.gone(t)
	waiting.Until(t, "counted", func() bool { return r.Stats().CutSilent == 1 })
}

// The time-to-live in a PING binds its sender.
func TestHeartbeatTTL(t *testing.T) {
	r := newRouter(t, RouterConfig{HeartbeatInterval: 40 * time.Millisecond, HeartbeatTimeout: time.Hour}, echo)
	p := dialPeer(t, r.Addr(), 0, "REQ", "")
	p.say(t, appendCommand(nil, "PING", []byte{0, 1}))
	p.gone(t)
	waiting.Until(t, "counted", func() bool { return r.Stats().CutSilent == 1 })
}

// A peer that waits for a slow handler is not silent.
func TestHeartbeatWhileBusy(t *testing.T) {
	release := make(chan struct{})
	r := newRouter(t, RouterConfig{HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit}, func(q *Request) {
		<-release
		echo(q)
	})
	busy := dialPeer(t, r.Addr(), 1, "REQ", "busy")
	busy.say(t, message("", "x"))
	other := dialPeer(t, r.Addr(), 1, "REQ", "silent")
	other.gone(t) // so the limit has passed
	close(release)
	if got := busy.reply(t); got != "re:x" {
		t.Errorf("got %q", got)
	}
}

// A peer whose answer is unread is not silent: we are late. Once the answer is read and nothing
// more comes, the peer is silent.
func TestHeartbeatOfALateReader(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	far, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	near, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	p := &Peer{guard: newGuard(near, limitsForTest(), nil), dead: make(chan struct{})}
	p.reading.Store(true) // and its reader is not scheduled
	p.pulse.answers.Store(true)
	h := heart{interval: time.Second, timeout: 3 * time.Second}
	if _, err := far.Write([]byte("pong")); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "its answer is here", func() bool { return unread(near) })
	for range 20 {
		h.beat(p, span{passed: time.Minute}, nil)
	}
	if p.Gone() {
		t.Fatal("it was cut off though it had answered")
	}
	if _, err := io.ReadFull(near, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	h.beat(p, span{passed: time.Minute}, nil)
	if !p.Gone() || !errors.Is(p.err, ErrSilent) {
		t.Errorf("gone %v, %v", p.Gone(), p.err)
	}
}

// Our sockets answer each other and stay connected.
func TestHeartbeatsBetweenOurOwn(t *testing.T) {
	r := newRouter(t, RouterConfig{HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit}, echo)
	lost := make(chan error, 10)
	q := newReq(t, r.Addr().String(), DialConfig{
		HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit, OnDisconnect: func(err error) { lost <- err },
	})
	if _, err := q.Do(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	clock := dialPeer(t, r.Addr(), 1, "REQ", "")
	for range 8 {
		awaitPing(t, clock)
		clock.say(t, appendCommand(nil, "PONG", nil))
	}
	select {
	case err := <-lost:
		t.Errorf("disconnected: %v", err)
	default:
	}
	if s := r.Stats(); s.Accepted != 2 || s.Peers != 2 {
		t.Errorf("stats %+v", s)
	}
}

// REQ and SUB disconnect from a server that falls silent, whether they have their own heart or
// share one.
func TestServerFallsSilent(t *testing.T) {
	t.Run("own heart", func(t *testing.T) { serverFallsSilent(t, nil) })
	t.Run("one of many", func(t *testing.T) {
		hearts := NewHearts()
		serverFallsSilent(t, hearts)
		hearts.Close()
		if n := len(hearts.beating); n > 0 {
			t.Errorf("it beats for %d sockets that are closed", n)
		}
	})
}

func serverFallsSilent(t *testing.T, hearts *Hearts) {
	cfg := DialConfig{
		HeartbeatInterval: beatEvery, HeartbeatTimeout: beatLimit, Hearts: hearts,
		BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
	}
	lost := make(chan error, 1)
	cfg.OnDisconnect = func(err error) {
		select {
		case lost <- err:
		default:
		}
	}
	addr, accepted := fakeServer(t, "PUB")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = NewSub(addr, cfg, nil).Run(ctx, func([][]byte) {})
	}()
	<-accepted
	if err := <-lost; err != ErrSilent {
		t.Errorf("SUB: %v", err)
	}
	cancel()
	<-ended
	for len(lost) > 0 { // a later connection of the SUB
		<-lost
	}
	addr, accepted = fakeServer(t, "ROUTER")
	q := NewReq(addr, cfg)
	go func() { <-accepted }()
	if _, err := q.Do(t.Context(), []byte("x")); err == nil {
		t.Error("REQ got a reply from a server that says nothing")
	}
	if err := <-lost; err != ErrSilent {
		t.Errorf("REQ: %v", err)
	}
	_ = q.Close()
}

// A shared heart looks at each socket every heartsStep at most: with a shorter step of its own
// each look would count as late, and silent peers would get more time.
func TestHearts_StepIsTheirs(t *testing.T) {
	all := NewHearts()
	defer all.Close()
	for _, interval := range []time.Duration{beatEvery, time.Minute} {
		h := heart{interval: interval, timeout: 4 * interval}
		calm := h.with(all)
		all.mu.Lock()
		for p := range all.beating {
			if p.step < heartsStep {
				t.Errorf("interval %v: step %v", interval, p.step)
			}
		}
		all.mu.Unlock()
		calm()
	}
}
