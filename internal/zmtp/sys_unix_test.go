//go:build unix

package zmtp

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/waiting"
)

// starved is a listener that is out of descriptors for a while.
type starved struct {
	net.Listener
	failures int
	err      error
}

func (s *starved) Accept() (net.Conn, error) {
	if s.failures > 0 {
		s.failures--
		return nil, &net.OpError{Op: "accept", Err: s.err}
	}
	return s.Listener.Accept()
}

// Without descriptors the socket waits instead of spinning, closes a silent handshake each
// time, and serves again as soon as it can.
func TestOutOfDescriptors(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{HandshakePatience: time.Millisecond}}, echo)
	first := dialRaw(t, r.Addr())
	waiting.Until(t, "a handshake begun", func() bool { return r.Stats().Handshaking == 1 })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.host.accept(&starved{Listener: ln, failures: 4, err: unix.EMFILE})
	}()
	probe(t, ln.Addr())
	if took := time.Since(start); took < 5*(1+2+4+8)*time.Millisecond {
		t.Errorf("served after %v: it did not wait", took)
	}
	first.gone(t)
	if s := r.Stats(); s.AcceptErrors != 4 || s.Evicted != 1 {
		t.Errorf("stats %+v", s)
	}
	_ = ln.Close()
	<-done
}

func TestOutOfFiles(t *testing.T) {
	for err, want := range map[error]bool{
		&net.OpError{Err: unix.EMFILE}:       true,
		&net.OpError{Err: unix.ENFILE}:       true,
		&net.OpError{Err: unix.ENOBUFS}:      true,
		&net.OpError{Err: unix.ECONNABORTED}: false,
		errors.New("other"):                  false,
	} {
		if outOfFiles(err) != want {
			t.Errorf("%v: want %v", err, want)
		}
	}
}
