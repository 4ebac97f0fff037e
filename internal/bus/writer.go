package bus

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// serveWriter fires the events of a connected writer.
func (s *Server) serveWriter(c net.Conn) {
	conn := &frameDeadline{Conn: c, limit: s.cfg.StallTimeout}
	r := newFrameReader(conn, s.cfg.MaxFrame)
	for {
		conn.next(len(r.buf) > 0)
		head, body, err := r.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && s.ctx.Err() == nil {
				s.rejected.Add(1)
				s.cfg.Log.Warn("event bus disconnected a writer", "socket", s.pull.Addr().String(), "err", err)
			}
			return
		}
		if err := s.take(body); err != nil {
			s.rejected.Add(1)
			s.cfg.Log.Warn("event bus dropped an event", "socket", s.pull.Addr().String(), "err", err)
		} else {
			s.fired.Add(1)
		}
		if err := s.answer(c, head); err != nil {
			return
		}
	}
}

// take fires the event in body. It keeps the event's _stamp.
func (s *Server) take(body []byte) error {
	e, err := ParseEvent(body, s.bus.now())
	if err != nil {
		return err
	}
	return s.bus.FireEvent(e)
}

// answer replies to a head with a message id, with the same id.
func (s *Server) answer(c net.Conn, head wire.Raw) error {
	if !wire.IsMap(head) || wire.Count(head) == 0 {
		return nil
	}
	mid, err := wire.Field(head, "mid")
	if err != nil || mid == nil {
		return err
	}
	ack, err := wire.EncodeBus(wire.NewMap("head", wire.NewMap("mid", mid), "body", true))
	if err != nil {
		return fmt.Errorf("answering a writer: %w", err)
	}
	if s.cfg.Framing == Length {
		ack = append(lengthOf(ack), ack...)
	}
	if err := c.SetWriteDeadline(time.Now().Add(s.cfg.StallTimeout)); err != nil {
		return err
	}
	_, err = c.Write(ack)
	return err
}

// frameDeadline lets a writer be idle between frames for any time, but requires that a frame is
// complete within limit once it has begun.
type frameDeadline struct {
	net.Conn
	limit time.Duration
	begun bool
	armed bool
}

// next records that a new frame is expected, and whether part of it has arrived.
func (d *frameDeadline) next(begun bool) { d.begun, d.armed = begun, false }

func (d *frameDeadline) Read(p []byte) (int, error) {
	if !d.armed {
		var end time.Time // zero while idle
		if d.begun {
			end = time.Now().Add(d.limit)
		}
		if err := d.SetReadDeadline(end); err != nil {
			return 0, err
		}
		d.armed = d.begun
	}
	n, err := d.Conn.Read(p)
	d.begun = d.begun || n > 0
	return n, err
}
