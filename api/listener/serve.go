package listener

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
)

// Serve serves the connections of a listener that a limiter admits, under TLS if the server has a
// TLSConfig, until the server is shut down. The server's ConnContext must be [ConnContext].
func Serve(srv *http.Server, ln net.Listener, t *Limiter) error {
	ln = &countedListener{ln, t}
	if srv.TLSConfig == nil {
		return srv.Serve(plain{ln})
	}
	s := &secured{ln: ln, conf: srv.TLSConfig, handshake: srv.ReadHeaderTimeout, out: &handover{addr: ln.Addr(), conns: make(chan net.Conn), done: make(chan struct{})}}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var lost error
	wg.Go(func() {
		lost = s.run(ctx)
		_ = s.out.Close() // it cannot fail
	})
	err := srv.Serve(s.out)
	cancel()
	_ = ln.Close() // it may be closed already
	wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return lost
	}
	return err
}

// plain is a listener of connections without TLS.
type plain struct{ net.Listener }

func (l plain) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &scanned{Conn: c}, nil
}

// secured negotiates the protocol of connections under TLS before net/http sees them. Heads of
// HTTP/1 must be scanned, but net/http speaks HTTP/2 only on a *tls.Conn.
type secured struct {
	ln        net.Listener
	conf      *tls.Config
	handshake time.Duration // bounds the negotiation
	out       *handover
}

// acceptPause is the wait after a connection that could not be accepted.
const acceptPause = 50 * time.Millisecond

// run accepts connections until the listener is closed.
func (s *secured) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := s.ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files
			if timing.Sleep(ctx, acceptPause) != nil {
				return err
			}
			continue
		}
		wg.Go(func() { s.negotiate(ctx, c) })
	}
}

// negotiate performs the handshake and closes a connection that does not finish it in time.
func (s *secured) negotiate(ctx context.Context, c net.Conn) {
	t := tls.Server(c, s.conf)
	ctx, cancel := context.WithTimeout(ctx, s.handshake)
	defer cancel()
	if t.HandshakeContext(ctx) != nil {
		_ = c.Close() // the peer may have closed it
		return
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		s.out.hand(t)
		return
	}
	s.out.hand(&scanned{Conn: t})
}

// handover is a listener of connections that were accepted elsewhere.
type handover struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *handover) hand(c net.Conn) {
	select {
	case l.conns <- c:
	case <-l.done:
		_ = c.Close() // the server has stopped
	}
}

func (l *handover) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *handover) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *handover) Addr() net.Addr { return l.addr }
