package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// signature is the length of the part of the greeting that libzmq sends before it has
	// received anything; after it the versions are known.
	signature    = 10
	greetingSize = 64
	// bufSize fits all small messages: greetings, acknowledgements, most publications.
	bufSize = 2 << 10
)

// stream is a connection to read from and write to.
type stream interface {
	io.ReadWriteCloser
	SetDeadline(t time.Time) error
}

var buffers = sync.Pool{New: func() any { b := make([]byte, bufSize); return &b }}

// conn is a connection that one goroutine at a time reads. It borrows a buffer from a pool
// while there are unread bytes.
type conn struct {
	stream
	most    int
	lent    *[]byte // nil if nothing is unread
	r, w    int     // bounds of the unread bytes in the buffer
	big     []byte  // replaces lent for a frame that does not fit
	first   []byte  // sent before the next bytes
	reading fillFunc
}

func newConn(c stream, most int) *conn { return &conn{stream: c, most: most, reading: reader(c)} }

// Close closes the connection; an error would be of no use.
func (c *conn) Close() { _ = c.stream.Close() }

// endWith interrupts waits on the connection when ctx ends, until stop is called.
func (c *conn) endWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
}

// unread returns the received bytes that were not taken.
func (c *conn) unread() []byte {
	switch {
	case c.big != nil:
		return c.big[c.r:c.w]
	case c.lent != nil:
		return (*c.lent)[c.r:c.w]
	}
	return nil
}

// take drops n bytes that were read, and returns the buffer to the pool when it is empty.
func (c *conn) take(n int) {
	c.r += n
	if c.r < c.w {
		return
	}
	c.r, c.w, c.big = 0, 0, nil
	if c.lent != nil {
		buffers.Put(c.lent)
		c.lent = nil
	}
}

// fill waits for more bytes; it makes room for need bytes in total.
func (c *conn) fill(need int) error {
	n, err := c.reading(func() []byte { return c.room(need) }, func() { c.take(0) })
	c.w += n
	if n == 0 {
		if err == nil {
			err = io.EOF
		}
		c.take(0)
		return err
	}
	return nil
}

// room returns the space for the next bytes, at least enough for need in total. It is called
// when there is something to read, so that an idle connection holds no buffer.
func (c *conn) room(need int) []byte {
	have := c.unread()
	if c.big == nil && c.lent == nil {
		c.lent = buffers.Get().(*[]byte)
	}
	buf := c.big
	if buf == nil {
		buf = *c.lent
	}
	if c.r > 0 {
		copy(buf, have)
		c.r, c.w = 0, len(have)
	}
	if need > len(buf) {
		// It grows with the received bytes: a declared length alone takes no memory.
		bigger := make([]byte, min(need, max(2*len(buf), 64<<10)))
		copy(bigger, buf[:c.w])
		if c.lent != nil {
			buffers.Put(c.lent)
			c.lent = nil
		}
		c.big, buf = bigger, bigger
	}
	return buf[c.w:]
}

// next returns the next frame. Its body is valid until done bytes are taken.
func (c *conn) next() (f frame, done int, err error) {
	for {
		have := c.unread()
		f, rest, need, err := parseFrame(have, c.most)
		if err != nil {
			return frame{}, 0, err
		}
		if need == 0 {
			return f, len(have) - len(rest), nil
		}
		if err := c.fill(need); err != nil {
			return frame{}, 0, err
		}
	}
}

// exactly waits for n bytes and drops them.
func (c *conn) exactly(n int) error {
	for len(c.unread()) < n {
		if err := c.fill(n); err != nil {
			return err
		}
	}
	c.take(n)
	return nil
}

// greeting returns the greeting of a libzmq socket; identity is the length of its identity
// (Salt wire reference §2.3).
func greeting(identity int) []byte {
	b := make([]byte, greetingSize)
	b[0], b[8], b[9], b[10], b[11] = 0xff, byte(identity+1), 0x7f, 3, 1
	copy(b[12:], "NULL")
	return b
}

// The READY commands of libzmq's sockets.
var (
	anonymous = greeting(0)
	readyREQ  = appendCommand(nil, "READY", property(property(nil, "Socket-Type", "REQ"), "Identity", ""))
	readySUB  = appendCommand(nil, "READY", property(nil, "Socket-Type", "SUB"))
)

// handshake follows libzmq: the signature, then, after the peer's, the rest of the greeting,
// then READY. If the peer's READY arrived with its greeting, our own is sent together with the
// next bytes.
func (c *conn) handshake(kind string, identity int) error {
	g, ready := anonymous, readySUB
	if identity != 0 {
		g = greeting(identity)
	}
	if kind == "REQ" {
		ready = readyREQ
	}
	if _, err := c.Write(g[:signature]); err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	for len(c.unread()) < 11 {
		if err := c.fill(11); err != nil {
			return fmt.Errorf("no greeting came: %w", err)
		}
	}
	if s := c.unread(); s[0] != 0xff || s[9]&1 == 0 || s[10] < 3 {
		return fmt.Errorf("%w: it is greeted by % x", ErrFrame, s[:11])
	}
	if _, err := c.Write(g[signature:]); err != nil {
		return fmt.Errorf("greet: %w", err)
	}
	if err := c.exactly(greetingSize); err != nil {
		return fmt.Errorf("no whole greeting came: %w", err)
	}
	if len(c.unread()) > 0 {
		c.first = ready
	} else if _, err := c.Write(ready); err != nil {
		return fmt.Errorf("say READY: %w", err)
	}
	f, done, err := c.next()
	if err != nil {
		return fmt.Errorf("no READY came: %w", err)
	}
	defer c.take(done)
	if name, _, err := cutCommand(f.body); !f.command() || err != nil || string(name) != "READY" {
		return errors.Join(fmt.Errorf("%w: %q came where READY was due", ErrFrame, name), err)
	}
	return nil
}

// begin returns the bytes that must be sent first.
func (c *conn) begin() []byte {
	b := append([]byte(nil), c.first...)
	c.first = nil
	return b
}

func property(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(append(b, 0, 0, 0, byte(len(value))), value...)
}

// pong answers a PING: the same context, without the TTL.
func (c *conn) pong(f frame) error {
	name, data, err := cutCommand(f.body)
	if err != nil || string(name) != "PING" || len(data) < 2 {
		return err
	}
	_, err = c.Write(appendCommand(c.begin(), "PONG", data[2:]))
	return err
}
