package bus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// ErrAway is returned when nobody serves the bus.
var ErrAway = errors.New("nobody serves the event bus")

// Writer fires events on the bus of a master. It connects on the first event, and again after a
// restart of the master. It is safe for concurrent use.
type Writer struct {
	cfg ClientConfig

	mu      sync.Mutex // guards the rest
	conn    net.Conn
	framing Framing // framing for conn
	closed  bool
}

// NewWriter returns a Writer.
func NewWriter(cfg ClientConfig) *Writer { return &Writer{cfg: cfg.withDefaults()} }

// Fire sends an event to the master's bus. data is a map in any form that wire.Encode accepts.
// Success means that the bytes were sent.
func (w *Writer) Fire(ctx context.Context, tag string, data any) error {
	if err := checkTag(tag); err != nil {
		return err
	}
	raw, err := wire.Encode(data)
	if err != nil {
		return fmt.Errorf("firing event %q: %w", tag, err)
	}
	if raw, err = wire.Without(raw, "_stamp"); err != nil {
		return fmt.Errorf("firing event %q: %w", tag, err)
	}
	e := Event{Tag: tag, Data: raw, Stamp: w.cfg.Now()}
	f := e.made()
	if f.err != nil {
		return f.err
	}
	if err := w.send(ctx, f.frame); err != nil {
		return fmt.Errorf("firing event %q: %w", tag, err)
	}
	return nil
}

// defaultFireTimeout bounds Fire when its context has no deadline.
const defaultFireTimeout = 5 * time.Second

func (w *Writer) send(ctx context.Context, frame []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, defaultFireTimeout)
		defer cancel()
	}
	kept := w.conn != nil
	err := w.write(ctx, frame)
	if err != nil && kept && ctx.Err() == nil { // the master may have restarted
		err = w.write(ctx, frame)
	}
	return err
}

// write sends a frame. On an error the master has not received the event.
func (w *Writer) write(ctx context.Context, frame []byte) error {
	if w.closed {
		return net.ErrClosed
	}
	if w.conn == nil {
		if err := w.dial(ctx); err != nil {
			return err
		}
	}
	if w.framing == Length {
		frame = append(lengthOf(frame), frame...)
	}
	deadline, _ := ctx.Deadline()
	err := w.conn.SetWriteDeadline(deadline)
	if err == nil {
		_, err = w.conn.Write(frame)
	}
	if err != nil { // part of a frame may be sent: reconnect next time
		_ = w.conn.Close()
		w.conn = nil
	}
	return err
}

func (w *Writer) dial(ctx context.Context) error {
	pull, err := placeOf(w.cfg.IPCMode, w.cfg.SockDir, w.cfg.PullName, w.cfg.PullPort)
	if err != nil {
		return err
	}
	conn, err := pull.dial(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	w.conn, w.framing = conn, w.cfg.Framing
	if w.framing == Auto {
		w.framing = peerSalt(conn).takes()
	}
	return nil
}

// Close closes the connection.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.conn == nil {
		return nil
	}
	err := closed(w.conn.Close())
	w.conn = nil
	return err
}
