package bus

import (
	"io"
	"log/slog"
	"net"
	"testing"
	"time"
)

// Where no mode protects the sockets, a client of a port that does not know the secret neither
// reads nor fires events.
func TestSecret(t *testing.T) {
	defer func(was bool) { needsSecret = was }(needsSecret)
	needsSecret = true
	dir := t.TempDir()
	b := NewBus(Options{})
	s, err := Serve(b, ServerConfig{SockDir: dir, IPCMode: "tcp", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	port := func(a net.Addr) int { return a.(*net.TCPAddr).Port }
	c, err := Dial(t.Context(), ClientConfig{SockDir: dir, IPCMode: "tcp", PubPort: port(s.PubAddr()), PullPort: port(s.PullAddr())})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Fire(t.Context(), "tag", map[string]any{"a": 1}); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Next(t.Context()); err != nil || e.Tag != "tag" {
		t.Errorf("%v, %v", e, err)
	}
	for _, at := range []net.Addr{s.PubAddr(), s.PullAddr()} {
		conn, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(make([]byte, secretSize)); err != nil {
			t.Error(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if got, err := io.ReadAll(conn); len(got) > 0 || isTimeout(err) {
			t.Errorf("a stranger got %q, %v", got, err)
		}
		_ = conn.Close()
	}
	if _, err := Dial(t.Context(), ClientConfig{SockDir: t.TempDir(), IPCMode: "tcp", PubPort: port(s.PubAddr())}); err == nil {
		t.Error("a client without the secret was served")
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}
