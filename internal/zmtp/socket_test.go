package zmtp

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

func echo(r *Request) { r.Reply(append([]byte("re:"), r.Body...)) }

func newRouter(t testing.TB, cfg RouterConfig, h func(*Request)) *Router {
	t.Helper()
	r, err := ListenRouter("127.0.0.1:0", cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func newReq(t testing.TB, addr string, cfg DialConfig) *Req {
	t.Helper()
	q := NewReq(addr, cfg)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func newPub(t testing.TB, cfg PubConfig) *Pub {
	t.Helper()
	p, err := ListenPub("127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// startSub runs a Sub in the background; its messages arrive with their frames joined by "|".
func startSub(t testing.TB, addr string, cfg DialConfig, topics ...string) (*Sub, <-chan string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan string, 1000)
	s := NewSub(addr, cfg, topics)
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Run(ctx, func(frames [][]byte) {
			text := ""
			for i, f := range frames {
				if i > 0 {
					text += "|"
				}
				text += string(f)
			}
			got <- text
		})
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return s, got
}

func receive(t testing.TB, from <-chan string) string {
	t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("no message")
		return ""
	}
}

func TestRequestReply(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	q := newReq(t, "tcp://"+r.Addr().String(), DialConfig{Identity: "me"})
	for _, size := range []int{0, 1, 255, 256, 5000, 70000, 3 << 20} {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(i)
		}
		reply, err := q.Do(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		if string(reply) != "re:"+string(body) {
			t.Fatalf("%d bytes: wrong reply of %d bytes", size, len(reply))
		}
	}
	if s := r.Stats(); s.Requests != 7 || s.Replies != 7 || s.Accepted != 1 || s.UntrustedBytes != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestRequestsInParallel(t *testing.T) {
	r := newRouter(t, RouterConfig{}, func(r *Request) { go echo(r) })
	q := newReq(t, r.Addr().String(), DialConfig{MaxConns: 5})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			body := fmt.Sprint(i)
			reply, err := q.Do(t.Context(), []byte(body))
			if err != nil || string(reply) != "re:"+body {
				t.Errorf("got %q, %v", reply, err)
			}
		})
	}
	wg.Wait()
	if s := r.Stats(); s.Accepted > 5 {
		t.Errorf("%d connections, at most 5 were allowed", s.Accepted)
	}
}

func TestPublish(t *testing.T) {
	seen := make(chan string, 10)
	p := newPub(t, PubConfig{Filtering: true, OnSubscribe: func(p *Peer, topic string) {
		seen <- p.Identity() + ":" + topic
	}})
	_, all := startSub(t, p.Addr().String(), DialConfig{Identity: "all"})
	if got := receive(t, seen); got != "all:" {
		t.Errorf("subscription %q", got)
	}
	_, some := startSub(t, p.Addr().String(), DialConfig{Identity: "some"}, "ab", "abc", "x")
	for range 3 {
		receive(t, seen)
	}
	for _, m := range [][2]string{{"", "1"}, {"abcd", "2"}, {"b", "3"}, {"x", "4"}, {"", "5"}} {
		if err := p.Send(m[0], []byte(m[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"1", "abcd|2", "b|3", "x|4", "5"} {
		if got := receive(t, all); got != want {
			t.Errorf("all: got %q, want %q", got, want)
		}
	}
	for _, want := range []string{"1", "abcd|2", "x|4", "5"} {
		if got := receive(t, some); got != want {
			t.Errorf("some: got %q, want %q", got, want)
		}
	}
}
