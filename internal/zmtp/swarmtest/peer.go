package swarmtest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// Flags in a frame's first byte (ZMTP 3.1).
const (
	more    = 1
	long    = 2
	command = 4
)

const greetingSize = 64

// Greeting returns the greeting of a connection with mechanism NULL.
func Greeting() []byte {
	b := make([]byte, greetingSize)
	b[0], b[9], b[10], b[11] = 0xff, 0x7f, 3, 1
	copy(b[12:], "NULL")
	return b
}

// Opening returns the greeting and the READY of a socket of a kind, such as "REQ".
func Opening(kind string) []byte {
	meta := "\x05READY\x0bSocket-Type\x00\x00\x00" + string(rune(len(kind))) + kind
	return append(append(Greeting(), command, byte(len(meta))), meta...)
}

// Peer is a connection. One goroutine at a time may use it.
type Peer struct {
	net.Conn
	in *bufio.Reader
}

// Dial connects a socket of a kind, from the address from unless it is nil; a SUB is subscribed
// to everything. It returns when the server's READY has arrived.
func Dial(from net.IP, kind, addr string) (*Peer, error) {
	d := net.Dialer{}
	if from != nil {
		d.LocalAddr = &net.TCPAddr{IP: from}
	}
	c, err := d.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	p := &Peer{c, bufio.NewReaderSize(c, 2<<10)}
	if err := p.open(kind); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("connect to %s as %s: %w", addr, kind, err)
	}
	return p, nil
}

func (p *Peer) open(kind string) error {
	hello := Opening(kind)
	if kind == "SUB" {
		hello = append(hello, 0, 1, 1) // everything
	}
	if _, err := p.Write(hello); err != nil {
		return err
	}
	if _, err := p.in.Discard(greetingSize); err != nil {
		return err
	}
	return p.ready()
}

// ready skips the server's READY.
func (p *Peer) ready() error {
	_, isCommand, err := p.header()
	if err == nil && !isCommand {
		err = errors.New("no READY came")
	}
	return err
}

// header reads a frame's header, and skips the body of a command.
func (p *Peer) header() (size int, isCommand bool, err error) {
	flags, err := p.in.ReadByte()
	if err != nil {
		return 0, false, err
	}
	var length [8]byte
	n := 1
	if flags&long != 0 {
		n = 8
	}
	if _, err := io.ReadFull(p.in, length[8-n:]); err != nil {
		return 0, false, err
	}
	size = int(binary.BigEndian.Uint64(length[:]))
	if flags&command == 0 {
		return size, false, nil
	}
	_, err = p.in.Discard(size)
	return 0, true, err
}

// Skip waits for a message of one frame and drops it.
func (p *Peer) Skip() error {
	for {
		n, isCommand, err := p.header()
		if err != nil || !isCommand {
			if err == nil {
				_, err = p.in.Discard(n)
			}
			return err
		}
	}
}

// Ask sends a request, like a REQ, and returns the size of the reply's body, which it drops.
func (p *Peer) Ask(body []byte) (size int, err error) {
	if _, err := p.Write(frame(nil, body)); err != nil {
		return 0, err
	}
	for frames := 0; ; {
		n, isCommand, err := p.header()
		if err != nil {
			return 0, err
		}
		if isCommand {
			continue
		}
		if _, err := p.in.Discard(n); err != nil {
			return 0, err
		}
		if frames++; frames == 2 {
			return n, nil
		}
	}
}

// Do sends a request, like a REQ, and returns the reply's body. It uses into, which may be nil,
// as the buffer for both.
func (p *Peer) Do(body, into []byte) ([]byte, error) {
	b := frame(into[:0], body)
	if _, err := p.Write(b); err != nil {
		return nil, err
	}
	for frames := 0; ; {
		n, isCommand, err := p.header()
		if err != nil {
			return nil, err
		}
		if isCommand {
			continue
		}
		if frames++; frames == 2 {
			b = append(b[:0], make([]byte, n)...)
			_, err := io.ReadFull(p.in, b)
			return b, err
		}
	}
}
