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
	// signature is the part of the greeting that libzmq sends before it has heard
	// anything; after it the versions are settled.
	signature    = 10
	greetingSize = 64
	// bufSize fits all that is small: greetings, acknowledgements, most publications.
	bufSize = 2 << 10
)

// stream is what a connection is read from and written to.
type stream interface {
	io.ReadWriteCloser
	SetDeadline(t time.Time) error
}

var buffers = sync.Pool{New: func() any { b := make([]byte, bufSize); return &b }}

// conn is one connection that is read by one goroutine at a time. Its buffer is
// lent from a pool while there is something in it.
type conn struct {
	stream
	most    int
	lent    *[]byte // nil: nothing is unread
	r, w    int     // what is unread in the buffer
	big     []byte  // instead of lent for a frame that does not fit there
	first   []byte  // leaves with what is sent next
	reading fillFunc
}

func newConn(c stream, most int) *conn { return &conn{stream: c, most: most, reading: reader(c)} }

// Close closes the connection; nothing of use can go wrong with that.
func (c *conn) Close() { _ = c.stream.Close() }

// endWith lets the end of ctx end what waits on the connection, until stop.
func (c *conn) endWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
}

// unread is what has come and was not taken.
func (c *conn) unread() []byte {
	switch {
	case c.big != nil:
		return c.big[c.r:c.w]
	case c.lent != nil:
		return (*c.lent)[c.r:c.w]
	}
	return nil
}

// take drops n bytes that were read, and gives the buffer back when it is empty.
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

// fill waits for more bytes, making room for need in all.
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

// room is where the next bytes go, at least enough for need in all. It is called
// when there is something to read, so that who waits holds no buffer.
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
		// It grows with what comes: a declared length alone takes no memory.
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

// next gives the next frame. Its body is valid until done is called.
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

// exactly waits until n bytes are there, and drops them.
func (c *conn) exactly(n int) error {
	for len(c.unread()) < n {
		if err := c.fill(n); err != nil {
			return err
		}
	}
	c.take(n)
	return nil
}

// greeting is what a socket of libzmq sends; identity is the length of its
// identity (Salt wire reference §2.3).
func greeting(identity int) []byte {
	b := make([]byte, greetingSize)
	b[0], b[8], b[9], b[10], b[11] = 0xff, byte(identity+1), 0x7f, 3, 1
	copy(b[12:], "NULL")
	return b
}

// What sockets of libzmq say of themselves.
var (
	anonymous = greeting(0)
	readyREQ  = appendCommand(nil, "READY", property(property(nil, "Socket-Type", "REQ"), "Identity", ""))
	readySUB  = appendCommand(nil, "READY", property(nil, "Socket-Type", "SUB"))
)

// handshake is libzmq's: the signature, then, when the peer's has come, the rest of
// the greeting, then READY. Where the peer's READY has come with its greeting, our own
// leaves together with what is sent first.
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

// begin is the beginning of what is sent next: what has to leave before it.
func (c *conn) begin() []byte {
	b := append([]byte(nil), c.first...)
	c.first = nil
	return b
}

func property(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(append(b, 0, 0, 0, byte(len(value))), value...)
}

// pong answers a PING: the same context, without the TTL in front of it.
func (c *conn) pong(f frame) error {
	name, data, err := cutCommand(f.body)
	if err != nil || string(name) != "PING" || len(data) < 2 {
		return err
	}
	_, err = c.Write(appendCommand(c.begin(), "PONG", data[2:]))
	return err
}
