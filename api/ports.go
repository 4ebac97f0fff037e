package api

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/momtree/mom/internal/sleep"
)

// serve answers on a listener until the server is shut down.
func (s *Server) serve(ln net.Listener) error {
	ln = s.conns.listen(ln)
	if s.certs == nil {
		return s.http.Serve(scanning{ln})
	}
	p := &ports{ln: ln, conf: s.http.TLSConfig, out: &handedOver{addr: ln.Addr(), conns: make(chan net.Conn), done: make(chan struct{})}}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var lost error
	wg.Go(func() {
		lost = p.run(ctx)
		_ = p.out.Close() // it cannot fail
	})
	err := s.http.Serve(p.out)
	cancel()
	_ = ln.Close() // it may be closed already
	wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return lost
	}
	return err
}

// scanning is a listener of connections in clear.
type scanning struct{ net.Listener }

func (l scanning) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &scanned{Conn: c}, nil
}

// ports agrees on a protocol with connections under TLS: the heads of HTTP/1 have to be
// scanned, and net/http speaks HTTP/2 on connections of crypto/tls alone.
type ports struct {
	ln   net.Listener
	conf *tls.Config
	out  *handedOver
}

// acceptPause is how long a listener rests after a connection that could not be accepted.
const acceptPause = 50 * time.Millisecond

// run accepts connections until the listener is closed.
func (p *ports) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := p.ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files
			if sleep.For(ctx, acceptPause) != nil {
				return err
			}
			continue
		}
		wg.Go(func() { p.greet(ctx, c) })
	}
}

// greet agrees on a protocol, and closes a connection that does not get so far in time.
func (p *ports) greet(ctx context.Context, c net.Conn) {
	t := tls.Server(c, p.conf)
	ctx, cancel := context.WithTimeout(ctx, headTime)
	defer cancel()
	if t.HandshakeContext(ctx) != nil {
		_ = c.Close() // it may be gone
		return
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		p.out.hand(t)
		return
	}
	p.out.hand(&scanned{Conn: t})
}

// handedOver is a listener of connections that somebody else accepted.
type handedOver struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *handedOver) hand(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		_ = c.Close() // nobody answers any more
	}
}

func (l *handedOver) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *handedOver) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *handedOver) Addr() net.Addr { return l.addr }
