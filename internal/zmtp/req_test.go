package zmtp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

func TestReqRefused(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	addr := r.Addr().String()
	_ = r.Close()
	q := newReq(t, addr, quickly(DialConfig{}))
	for range 3 {
		if _, err := q.Do(t.Context(), nil); !errors.Is(err, ErrDial) || !strings.Contains(err.Error(), addr) {
			t.Errorf("error %v", err)
		}
	}
	r, err := ListenRouter(addr, RouterConfig{}, echo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if reply, err := q.Do(t.Context(), []byte("x")); err != nil || string(reply) != "re:x" {
		t.Errorf("got %q, %v", reply, err)
	}
	if s := q.Stats(); s.DialFailures != 3 || s.Connects != 1 || s.Failures != 3 || s.Replies != 1 {
		t.Errorf("stats %+v", s)
	}
}

// A request that times out closes its connection: its late reply must not be mistaken for that
// of the next request.
func TestReqTimeout(t *testing.T) {
	held := make(chan *Request, 1)
	r := newRouter(t, RouterConfig{}, func(q *Request) {
		if string(q.Body) == "hold" {
			held <- q
			return
		}
		echo(q)
	})
	q := newReq(t, r.Addr().String(), DialConfig{RequestTimeout: 30 * time.Millisecond})
	if _, err := q.Do(context.Background(), []byte("hold")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	late := <-held
	late.Reply([]byte("late"))
	if reply, err := q.Do(t.Context(), []byte("next")); err != nil || string(reply) != "re:next" {
		t.Errorf("got %q, %v", reply, err)
	}
	waiting.Until(t, "the connection that timed out to be gone", func() bool {
		s := q.Stats()
		return s.Connects == 2 && s.Conns == 1
	})
}

// Unsent bytes of a request that timed out are dropped: the peer sees a connection reset, not
// an orderly end.
func TestReqTimeoutDiscards(t *testing.T) {
	addr, accepted := fakeServer(t, "ROUTER")
	q := newReq(t, addr, DialConfig{RequestTimeout: 30 * time.Millisecond})
	if _, err := q.Do(context.Background(), []byte("late")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	p := <-accepted
	for {
		_, _, err := p.tryFrame()
		if errors.Is(err, syscall.ECONNRESET) {
			return
		}
		if err != nil {
			t.Fatalf("the connection ended with %v, want %v", err, syscall.ECONNRESET)
		}
	}
}

func TestReqServerGoes(t *testing.T) {
	addr, accepted := fakeServer(t, "ROUTER")
	q := newReq(t, addr, quickly(DialConfig{}))
	go func() {
		p := <-accepted
		_, _, _ = p.tryFrame()
		_ = p.Close()
	}()
	if _, err := q.Do(t.Context(), []byte("x")); !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
}

// Invalid replies end the connection.
func TestReqBadReplies(t *testing.T) {
	for name, says := range map[string][]byte{
		"no empty frame": message("a"),
		"three frames":   message("", "a", "b"),
		"wrong order":    message("a", ""),
		"huge":           {2, 0, 0, 1, 0, 0, 0, 0, 0},
	} {
		addr, accepted := fakeServer(t, "ROUTER")
		q := newReq(t, addr, quickly(DialConfig{}))
		go func() {
			p := <-accepted
			_, _, _ = p.tryFrame()
			_, _ = p.Write(says)
		}()
		if _, err := q.Do(t.Context(), []byte("x")); !errors.Is(err, ErrLost) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// An unexpected reply is not kept for the next request.
func TestReqUnsolicited(t *testing.T) {
	addr, accepted := fakeServer(t, "ROUTER")
	lost := make(chan error, 1)
	q := newReq(t, addr, quickly(DialConfig{OnDisconnect: func(err error) { lost <- err }}))
	go func() {
		p := <-accepted
		_, _, _ = p.tryFrame()
		_, _ = p.Write(append(message("", "right"), message("", "forged")...))
	}()
	if reply, err := q.Do(t.Context(), []byte("x")); err != nil || string(reply) != "right" {
		t.Errorf("got %q, %v", reply, err)
	}
	if err := <-lost; !errors.Is(err, ErrEnvelope) {
		t.Errorf("ended by %v", err)
	}
	waiting.Until(t, "pool empty", func() bool { return q.Stats().Conns == 0 })
}

func TestReqPoolShrinks(t *testing.T) {
	gather := make(chan *Request)
	r := newRouter(t, RouterConfig{}, func(q *Request) { gather <- q })
	q := newReq(t, r.Addr().String(), DialConfig{IdleTimeout: 10 * time.Millisecond, HeartbeatInterval: 100 * time.Millisecond, Identity: "id"})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := q.Do(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	names := make(map[string]bool)
	var requests []*Request
	for range 4 { // all four at once, so on four connections
		r := <-gather
		requests = append(requests, r)
		names[r.Peer.Identity()] = true
	}
	for _, r := range requests {
		r.Reply(nil)
	}
	wg.Wait()
	for n := range names {
		if !strings.HasPrefix(n, "id/") {
			t.Errorf("identity %q", n)
		}
	}
	if len(names) != 4 {
		t.Errorf("identities %v", names)
	}
	waiting.Until(t, "one left", func() bool { s := q.Stats(); return s.Conns == 1 && s.Idle == 1 })
}

func TestReqClosed(t *testing.T) {
	r := newRouter(t, RouterConfig{}, func(*Request) {})
	q := NewReq(r.Addr().String(), DialConfig{})
	failed := make(chan error)
	go func() {
		_, err := q.Do(context.Background(), []byte("x"))
		failed <- err
	}()
	waiting.Until(t, "request under way", func() bool { return r.Stats().Requests == 1 })
	_ = q.Close()
	if err := <-failed; !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
	if _, err := q.Do(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestReqLimits(t *testing.T) {
	q := newReq(t, "127.0.0.1:1", DialConfig{Limits: Limits{MaxFrame: 10}})
	if _, err := q.Do(t.Context(), make([]byte, 11)); !errors.Is(err, ErrFrameSize) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Do(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A server that speaks TCP but not ZMTP is given up.
func TestDialMuteServer(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	addr, _ := muteServer(t)
	q := newReq(t, addr, DialConfig{Limits: Limits{HandshakeTimeout: 30 * time.Millisecond}})
	if _, err := q.Do(t.Context(), nil); !errors.Is(err, ErrDial) {
		t.Errorf("error %v", err)
	}
	q = newReq(t, addr, DialConfig{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := q.Do(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	q = newReq(t, r.Addr().String(), DialConfig{SourceAddr: "no such place:x"})
	if _, err := q.Do(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "source address") {
		t.Errorf("error %v", err)
	}
}
