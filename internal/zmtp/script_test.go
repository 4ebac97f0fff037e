package zmtp

import (
	"bytes"
	"io"
	"net"
	"time"
)

// script is a connection whose peer sends fixed bytes, at most step at a time, and then closes
// it.
type script struct {
	in     *bytes.Reader
	step   int
	out    bytes.Buffer
	closed bool
	most   int // the largest requested read
}

func newScript(step int, parts ...[]byte) *script {
	return &script{in: bytes.NewReader(bytes.Join(parts, nil)), step: step}
}

func (s *script) Read(p []byte) (int, error) {
	s.most = max(s.most, len(p))
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	return s.in.Read(p[:min(len(p), s.step)])
}

func (s *script) Write(p []byte) (int, error)      { return s.out.Write(p) }
func (s *script) Close() error                     { s.closed = true; return nil }
func (s *script) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (s *script) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// greeting returns what libzmq sends first.
func greeting(minor byte) []byte {
	g := make([]byte, greetingSize)
	g[0], g[8], g[9], g[10], g[11] = 0xff, 1, 0x7f, 3, minor
	copy(g[12:], "NULL")
	return g
}

// readyFrame returns a READY as a peer of that type sends it.
func readyFrame(socketType, identity string) []byte {
	return appendCommand(nil, "READY", appendReady(nil, ready{socketType, identity}))
}

// message encodes frames.
func message(frames ...string) []byte {
	var b []byte
	for i, f := range frames {
		flags := byte(flagMore)
		if i == len(frames)-1 {
			flags = 0
		}
		b = appendFrame(b, flags, []byte(f))
	}
	return b
}
