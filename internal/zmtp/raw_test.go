package zmtp

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"
)

// rawPeer sends ZMTP byte by byte, valid or not, as a test wants.
type rawPeer struct {
	net.Conn
	in *bufio.Reader
}

// dialRaw connects and sends nothing.
func dialRaw(t testing.TB, addr net.Addr) *rawPeer {
	t.Helper()
	return dialRawBy(t, net.Dialer{}, addr)
}

func dialRawBy(t testing.TB, d net.Dialer, addr net.Addr) *rawPeer {
	t.Helper()
	c, err := d.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &rawPeer{c, bufio.NewReader(c)}
}

// dialPeer connects and does the handshake as a peer of the given type.
func dialPeer(t testing.TB, addr net.Addr, minor byte, socketType, identity string) *rawPeer {
	t.Helper()
	return dialPeerBy(t, net.Dialer{}, addr, minor, socketType, identity)
}

func dialPeerBy(t testing.TB, d net.Dialer, addr net.Addr, minor byte, socketType, identity string) *rawPeer {
	t.Helper()
	p := dialRawBy(t, d, addr)
	p.say(t, greeting(minor), readyFrame(socketType, identity))
	if _, err := io.ReadFull(p.in, make([]byte, greetingSize)); err != nil {
		t.Fatal(err)
	}
	if h, _ := p.frame(t); !h.command() {
		t.Fatal("no READY")
	}
	return p
}

func (p *rawPeer) say(t testing.TB, parts ...[]byte) {
	t.Helper()
	for _, b := range parts {
		if _, err := p.Write(b); err != nil {
			t.Fatal(err)
		}
	}
}

// frame waits for the next frame.
func (p *rawPeer) frame(t testing.TB) (header, []byte) {
	t.Helper()
	h, b, err := p.tryFrame()
	if err != nil {
		t.Fatalf("read a frame: %v", err)
	}
	return h, b
}

func (p *rawPeer) tryFrame() (header, []byte, error) {
	_ = p.SetReadDeadline(time.Now().Add(20 * time.Second))
	b, err := p.in.Peek(1)
	if err != nil {
		return header{}, nil, err
	}
	if b, err = p.in.Peek(headerSize(b[0])); err != nil {
		return header{}, nil, err
	}
	h, err := parseHeader(b)
	if err != nil {
		return h, nil, err
	}
	_, _ = p.in.Discard(len(b))
	body := make([]byte, h.size)
	_, err = io.ReadFull(p.in, body)
	return h, body, err
}

// skipFrame reads a frame and drops it.
func (p *rawPeer) skipFrame() (header, error) {
	b, err := p.in.Peek(1)
	if err != nil {
		return header{}, err
	}
	if b, err = p.in.Peek(headerSize(b[0])); err != nil {
		return header{}, err
	}
	h, err := parseHeader(b)
	if err == nil {
		_, err = p.in.Discard(len(b) + int(h.size))
	}
	return h, err
}

// reply waits for a message to a REQ and returns its body.
func (p *rawPeer) reply(t testing.TB) string {
	t.Helper()
	for {
		h, b := p.frame(t)
		if !h.command() && !h.more() {
			return string(b)
		}
	}
}

// gone waits until the other side has closed the connection.
func (p *rawPeer) gone(t testing.TB) {
	t.Helper()
	_ = p.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, p.in); err != nil {
		if ne, ok := err.(net.Error); ok && ne.Timeout() {
			t.Fatal("connection is still open")
		}
	}
}
