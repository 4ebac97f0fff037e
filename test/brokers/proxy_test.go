package brokers

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// proxy passes connections to a server, as long as it is open.
type proxy struct {
	net.Listener
	to string

	mu    sync.Mutex
	cut   bool // no connections
	mute  bool // nothing comes back from the server
	conns []net.Conn
	wg    sync.WaitGroup
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.set(true, false)
		p.wg.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.Listener.Addr().String() }

func (p *proxy) accept() {
	for {
		c, err := p.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		p.wg.Go(func() { p.pass(c) })
	}
}

func (p *proxy) pass(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer s.Close()
	p.mu.Lock()
	cut := p.cut
	if !cut {
		p.conns = append(p.conns, c, s)
	}
	p.mu.Unlock()
	if cut {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(s, c)
		s.Close()
	})
	_, _ = io.Copy(back{p, c}, s)
	c.Close()
	wg.Wait()
}

// back is the way back from the server.
type back struct {
	p *proxy
	net.Conn
}

func (b back) Write(data []byte) (int, error) {
	b.p.mu.Lock()
	mute := b.p.mute
	b.p.mu.Unlock()
	if mute {
		return len(data), nil
	}
	return b.Conn.Write(data)
}

// set cuts all connections or accepts them again. While it is mute, what the server sends is lost.
func (p *proxy) set(cut, mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.mute = cut, mute
	if cut {
		for _, c := range p.conns {
			c.Close()
		}
		p.conns = nil
	}
}
