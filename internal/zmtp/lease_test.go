package zmtp

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// pipes is a listener without a network, so that a test can control the clock.
type pipes struct {
	in   chan net.Conn
	once sync.Once
	end  chan struct{}
}

func newPipes() *pipes { return &pipes{in: make(chan net.Conn), end: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.in:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.end) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the near end of a new connection. It silently stops to transfer data when frozen
// is closed.
func (p *pipes) dial(frozen <-chan struct{}) net.Conn {
	near, far := net.Pipe()
	p.in <- far
	s := &stopping{Conn: near, frozen: frozen, out: make(chan []byte, 100), done: make(chan struct{})}
	go func() {
		for {
			select {
			case b := <-s.out:
				if _, err := near.Write(b); err != nil {
					return
				}
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// stopping buffers written data like a socket.
type stopping struct {
	net.Conn
	frozen <-chan struct{}
	out    chan []byte
	done   chan struct{}
	once   sync.Once
}

func (s *stopping) stopped() bool {
	select {
	case <-s.frozen:
		return true
	default:
		return false
	}
}

func (s *stopping) Write(b []byte) (int, error) {
	if !s.stopped() {
		s.out <- bytes.Clone(b)
	}
	return len(b), nil
}

func (s *stopping) Close() error {
	s.once.Do(func() { close(s.done) })
	if s.stopped() {
		return nil
	}
	return s.Conn.Close()
}

// How a subscriber that falls silent at some point appears to the publisher, depending on its
// promise and on what both are doing.
func TestLease(t *testing.T) {
	const never = time.Hour
	for _, c := range []struct {
		name     string
		ttl      time.Duration // promised by the subscriber, which beats every 2 s
		freeze   time.Duration // after the connection; never means that it stays alive
		busy     bool          // its handler does not return
		chatter  time.Duration // between publications; 0 means none
		min, max time.Duration // from the freeze to the end; never means that it stays
	}{
		{name: "it promised nothing", freeze: time.Minute, min: 20 * time.Second, max: 33 * time.Second},
		{name: "it promised", ttl: 6 * time.Second, freeze: time.Minute, min: 3500 * time.Millisecond, max: 6500 * time.Millisecond},
		{name: "it promised and was just there", ttl: 6 * time.Second, freeze: 100 * time.Millisecond, min: 5 * time.Second, max: 6500 * time.Millisecond},
		{name: "it promised and receives much", ttl: 6 * time.Second, freeze: time.Minute, chatter: time.Second, min: 3500 * time.Millisecond, max: 6500 * time.Millisecond},
		{name: "it lives", ttl: 6 * time.Second, freeze: never, min: never},
		{name: "it lives and receives much, so that it need not ask", ttl: 6 * time.Second, freeze: never, chatter: time.Second, min: never},
		{name: "it lives and its handler is stuck", ttl: 6 * time.Second, freeze: never, busy: true, chatter: 3 * time.Second, min: never},
		{name: "it froze with its handler stuck", ttl: 6 * time.Second, freeze: time.Minute, busy: true, chatter: 3 * time.Second, min: 3500 * time.Millisecond, max: 6500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				line := newPipes()
				ended := make(chan error, 10)
				p := newPub(t, PubConfig{
					Listen: ListenConfig{via: line}, HeartbeatInterval: 10 * time.Second, HeartbeatTimeout: 30 * time.Second,
					Limits: Limits{StallTimeout: 2 * time.Hour}, OnClose: func(_ *Peer, err error) { ended <- err },
				})
				frozen, release := make(chan struct{}), make(chan struct{})
				begun := time.Now()
				s := NewSub("", DialConfig{
					HeartbeatInterval: 2 * time.Second, HeartbeatTimeout: 6 * time.Second, HeartbeatTTL: c.ttl,
					BackoffMin: 2 * time.Hour, via: func() net.Conn { return line.dial(frozen) },
				}, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					_ = s.Run(ctx, func([][]byte) {
						if c.busy {
							<-release
						}
					})
				}()
				defer close(release)
				if c.chatter > 0 {
					go func() {
						for timing.Sleep(ctx, c.chatter) == nil {
							_ = p.Send("", []byte("publication"))
						}
					}()
				}
				if c.freeze < never {
					time.Sleep(c.freeze)
					close(frozen)
				}
				select {
				case err := <-ended:
					if took := time.Since(begun) - c.freeze; took < c.min || took > c.max || !errors.Is(err, ErrSilent) {
						t.Errorf("ended %v after the freeze by %v, want %v to %v", took, err, c.min, c.max)
					}
				case <-time.After(20 * time.Minute):
					if c.min < never || p.Peers() != 1 {
						t.Errorf("%d are still taken for alive", p.Peers())
					}
				}
			})
		})
	}
}

// A promise is sent in tenths of a second, never shorter than intended.
func TestPromiseOnTheWire(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want uint16
	}{
		{0, 0},
		{time.Millisecond, 1},
		{100 * time.Millisecond, 1},
		{6 * time.Second, 60},
		{time.Hour, 36000},
		{2 * time.Hour, 65535},
		{1 << 62, 65535},
	} {
		b := pingWire(c.ttl)
		name, body, err := splitCommand(b[2:])
		if err != nil || string(name) != "PING" {
			t.Fatalf("%v: %q, %v", c.ttl, name, err)
		}
		if ttl, _, err := splitPing(body); err != nil || ttl != c.want {
			t.Errorf("%v: %d tenths of a second, %v; want %d", c.ttl, ttl, err, c.want)
		}
	}
}
