package api

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/api/listener"
)

// pipes is a listener of connections in memory, whose deadlines go by the clock of the
// test.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000} }

func (p *pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	p.conns <- there
	t.Cleanup(func() { here.Close() })
	return here
}

// start runs a server on connections in memory; stop ends it.
func start(t *testing.T, s *Server) (_ *pipes, stop func()) {
	t.Helper()
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := listener.Serve(s.http, p, s.limiter); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	return p, func() {
		s.end()
		_ = s.http.Close()
		<-ended
	}
}

// send writes a request in the background and gives the answer's head and a reader of its
// body.
func send(t *testing.T, c net.Conn, text string) (head, *bufio.Reader) {
	t.Helper()
	go func() { _, _ = io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n")) }()
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil) //nolint:bodyclose // a stream has no end to be read to; the connection ends with the test
	if err != nil {
		t.Fatal(err)
	}
	return head{resp.StatusCode, resp.Header}, bufio.NewReader(resp.Body)
}

// head is how an answer begins.
type head struct {
	StatusCode int
	Header     http.Header
}
