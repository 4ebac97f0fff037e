package zmtp

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

// overheard counts the bytes written to a connection.
type overheard struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (o overheard) Write(b []byte) (int, error) {
	o.writes.Add(1)
	return o.TCPConn.Write(b)
}

// A peer that gave up while it waited in the system's backlog is not greeted. A stock minion
// opens a connection for each attempt, so the later the process is, the more of them have hung
// up.
func TestWhoHasHungUpIsNotGreeted(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(*net.TCPConn) error
		greeted bool
	}{
		"waits":                      {func(*net.TCPConn) error { return nil }, true},
		"speaks and waits":           {func(c *net.TCPConn) error { _, err := c.Write(greeting(1)[:10]); return err }, true},
		"hangs up":                   {func(c *net.TCPConn) error { return c.Close() }, false},
		"speaks and hangs up":        {func(c *net.TCPConn) error { _, _ = c.Write(greeting(1)[:10]); return c.Close() }, false},
		"resets its connection":      {func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() }, false},
		"closes only its write side": {func(c *net.TCPConn) error { return c.CloseWrite() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRouter(t, RouterConfig{}, echo)
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			near, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer near.Close()
			far, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.do(near.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			if !c.greeted {
				waiting.Until(t, "the system has heard of it", func() bool { return hungUp(far) })
			}
			var writes atomic.Int64
			r.host.admit(overheard{far.(*net.TCPConn), &writes})
			if c.greeted {
				waiting.Until(t, "it is greeted", func() bool { return writes.Load() > 0 })
				return
			}
			waiting.Until(t, "it is counted", func() bool { return r.Stats().HandshakeGone == 1 })
			s := r.Stats()
			if writes.Load() != 0 || s.Handshaking != 0 {
				t.Errorf("greeted in %d writes, %d are in their handshake", writes.Load(), s.Handshaking)
			}
			if n := len(r.host.addrs); n != 0 || r.host.conns != 0 {
				t.Errorf("%d places taken of %d addresses", r.host.conns, n)
			}
		})
	}
}
