package zmtp

import (
	"bufio"
	"net"
	"sync"
	"testing"
)

// fakeServer does the handshake with each client and leaves the rest to the test, which gets
// the connections from the channel.
func fakeServer(t testing.TB, socketType string) (addr string, accepted <-chan *rawPeer) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan *rawPeer, 100)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p := &rawPeer{c, bufio.NewReader(c)}
			_, _ = c.Write(append(greeting(1), readyFrame(socketType, "")...))
			_, _ = p.in.Discard(greetingSize)
			if _, _, err := p.tryFrame(); err != nil {
				_ = c.Close()
				continue
			}
			t.Cleanup(func() { _ = c.Close() })
			out <- p
		}
	})
	t.Cleanup(func() { _ = ln.Close(); wg.Wait() })
	return ln.Addr().String(), out
}

// muteServer accepts connections and never sends anything.
func muteServer(t testing.TB) (addr string, ln net.Listener) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String(), ln
}
