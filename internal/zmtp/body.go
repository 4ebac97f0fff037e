package zmtp

import (
	"io"
	"time"
)

const (
	// smallBody is the size up to which a body is not charged to the budget.
	smallBody = 8 << 10
	// firstPiece is the initial allocation for a body. A larger body's buffer grows fourfold as
	// it arrives, so memory follows the received bytes.
	firstPiece = 16 << 10
	growth     = 4
)

// recv reads the next message. It checks each frame before it allocates memory for it, and
// handles commands in between.
func (g *guard) recv() (frames [][]byte, err error) {
	g.charge.give() // nobody has taken it over
	g.charge = nil
	for {
		if err := g.await(); err != nil {
			return nil, err
		}
		if err := g.next(); err != nil {
			return nil, err
		}
		if g.left < 0 { // it was a command
			continue
		}
		body, err := g.body(g.left)
		g.left = 0
		if err != nil {
			return nil, err
		}
		frames = append(frames, body)
		if !g.more {
			if g.charge != nil {
				g.charge.arrived()
			}
			return frames, nil
		}
	}
}

// body receives the body of a frame.
func (g *guard) body(size int64) ([]byte, error) {
	b := g.budget()
	if size <= smallBody || b == nil {
		return g.take(size)
	}
	if g.charge == nil {
		if err := g.awaitOwn(b.limit / ownShare); err != nil {
			return nil, err
		}
		g.charge = b.begin(g)
	}
	var body []byte
	for have := int64(0); have < size; have = int64(len(body)) {
		room := min(size, max(firstPiece, growth*have))
		if err := g.afford(room - have); err != nil {
			return nil, err
		}
		b.spent.collect(room)
		grown := make([]byte, room)
		copy(grown, body)
		b.spent.add(int64(len(body)))
		body = grown
		g.arm(room - have)
		if err := g.fill(body[have:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// ownShare is the divisor for the part of the budget, a quarter, that requests of one
// connection may hold while they are processed before its next body is received.
const ownShare = 4

// awaitOwn waits until the requests of this connection hold at most that much.
func (g *guard) awaitOwn(most int64) error {
	if g.atWork.Load() <= most {
		return nil
	}
	g.disarm()
	g.paused.Store(true)
	defer g.paused.Store(false)
	//mutant:connections-share-the-budget
	for g.atWork.Load() > most {
		select {
		case <-g.freed:
		case <-g.dead:
			return ErrClosed
		}
	}
	return nil
}

// take receives a body that is not charged: a small one, or a dialled server's.
func (g *guard) take(size int64) ([]byte, error) {
	if size <= smallBody {
		b := make([]byte, size)
		return b, g.fill(b)
	}
	var body []byte
	for have := int64(0); have < size; have = int64(len(body)) {
		grown := make([]byte, min(size, max(firstPiece, growth*have)))
		copy(grown, body)
		body = grown
		if err := g.fill(body[have:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// afford takes n more bytes of the budget and waits for room if necessary. That wait does not
// count against the peer.
func (g *guard) afford(n int64) error {
	g.disarm()
	g.paused.Store(true)
	defer g.paused.Store(false)
	return g.charge.grow(n, 4*g.lim.FrameTimeout, g.dead)
}

// fill reads exactly len(b) bytes, and records since when it waits for the peer.
func (g *guard) fill(b []byte) error {
	for len(b) > 0 {
		g.since.Store(int64(time.Since(epoch)))
		n, err := g.in.Read(b)
		g.since.Store(0)
		b = b[n:]
		if err != nil && len(b) > 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// silence returns how long the peer has been silent in the middle of a message. Unread bytes
// end the silence.
func (g *guard) silence(now time.Time) time.Duration {
	since := time.Duration(g.since.Load())
	if since == 0 || unread(g.Conn) {
		return 0
	}
	return now.Sub(epoch) - since
}
