package zmtp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

func quickly(cfg DialConfig) DialConfig {
	cfg.BackoffMin, cfg.BackoffMax = time.Millisecond, 5*time.Millisecond
	return cfg
}

// visits counts the reported connections of a Sub.
type visits struct {
	connects atomic.Int64
	up       atomic.Bool
}

// watched makes a Sub report its connections.
func watched(cfg DialConfig) (DialConfig, *visits) {
	v := &visits{}
	cfg.OnConnect = func() { v.connects.Add(1); v.up.Store(true) }
	cfg.OnDisconnect = func(error) { v.up.Store(false) }
	return cfg, v
}

// A publisher that restarts at its address is found again, and gets all subscriptions.
func TestSubReconnects(t *testing.T) {
	addr := "127.0.0.1:0"
	cfg, seen := watched(quickly(DialConfig{}))
	var got <-chan string
	for round := range 3 {
		var p *Pub
		waiting.Until(t, "bound again", func() bool {
			var err error
			p, err = ListenPub(addr, PubConfig{Filtering: true})
			return err == nil
		})
		if got == nil {
			addr = p.Addr().String()
			_, got = startSub(t, addr, cfg, "a", "b")
		}
		waiting.Until(t, "subscribed", func() bool { return p.Stats().Subscribers == 1 })
		waiting.Until(t, "both topics", func() bool {
			if err := p.Send("b", []byte(fmt.Sprint(round))); err != nil {
				t.Fatal(err)
			}
			return len(got) > 0
		})
		if m, want := receive(t, got), fmt.Sprintf("b|%d", round); m != want {
			t.Errorf("got %q, want %q", m, want)
		}
		_ = p.Close()
		for len(got) > 0 {
			<-got
		}
		waiting.Until(t, "noticed", func() bool { return !seen.up.Load() })
		for len(got) > 0 {
			<-got
		}
	}
	if n := seen.connects.Load(); n != 3 {
		t.Errorf("%d connects", n)
	}
}

func TestSubReports(t *testing.T) {
	events := make(chan string, 10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := newPub(t, PubConfig{})
	s := NewSub(p.Addr().String(), DialConfig{
		OnConnect:    func() { events <- "connect"; cancel() },
		OnDisconnect: func(error) { events <- "disconnect" },
	}, nil)
	if err := s.Run(ctx, func([][]byte) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if a, b := <-events, <-events; a != "connect" || b != "disconnect" {
		t.Errorf("%s, %s", a, b)
	}
}

// A hostile publisher ends its connection, not the process.
func TestSubAgainstBadServers(t *testing.T) {
	for name, says := range map[string][]byte{
		"no ZMTP":         []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"what kills zmq4": append(greeting(1), appendCommand(nil, "READY", []byte("\x05a"))...),
		"ROUTER":          append(greeting(1), readyFrame("ROUTER", "")...),
		"refuses":         append(greeting(1), appendCommand(nil, "ERROR", []byte("\x02no"))...),
		"2^40":            append(append(greeting(1), readyFrame("PUB", "")...), 2, 0, 0, 1, 0, 0, 0, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			ctx, cancel := context.WithCancel(context.Background())
			s := NewSub(ln.Addr().String(), quickly(DialConfig{}), nil)
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = s.Run(ctx, func([][]byte) { t.Error("a message") })
			}()
			for range 3 { // it comes back each time
				c, err := ln.Accept()
				if err != nil {
					t.Fatal(err)
				}
				_, _ = c.Write(says)
				(&rawPeer{c, nil}).drainUntilClosed(t)
				_ = c.Close()
			}
			cancel()
			<-done
		})
	}
}

func (p *rawPeer) drainUntilClosed(t testing.TB) {
	t.Helper()
	b := make([]byte, 1024)
	_ = p.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		if _, err := p.Read(b); errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("still connected")
		} else if err != nil {
			return
		}
	}
}

func TestBackoff(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name  string
		b     backoff
		least []time.Duration
		most  []time.Duration
	}{
		{"plain", backoff{min: s, max: 5 * s, plain: true}, []time.Duration{s, 2 * s, 4 * s, 5 * s, 5 * s}, []time.Duration{s, 2 * s, 4 * s, 5 * s, 5 * s}},
		{"growing", backoff{min: s, max: 5 * s}, []time.Duration{s, s, s, s, s}, []time.Duration{2 * s, 3 * s, 5 * s, 6 * s, 6 * s}},
	} {
		seen := make(map[time.Duration]bool)
		for round := range 200 {
			for i := range c.least {
				d := c.b.next()
				if d < c.least[i] || d > c.most[i] {
					t.Errorf("%s: wait %d is %v, want %v to %v", c.name, i, d, c.least[i], c.most[i])
				}
				if i == 0 {
					seen[d] = true
				}
			}
			if round == 0 {
				for range 100 { // no overflow in the long run
					if d := c.b.next(); d < c.b.min || d > c.b.min+c.b.max {
						t.Errorf("%s: %v", c.name, d)
					}
				}
			}
			c.b.reset()
		}
		if !c.b.plain && len(seen) < 100 {
			t.Errorf("%s: %d different waits in 200", c.name, len(seen))
		}
	}
}
