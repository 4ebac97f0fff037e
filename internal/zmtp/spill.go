package zmtp

import "io"

// Frames above these sizes are received before zmq4 may allocate for them.
const (
	spillUntrusted = 8 << 10
	spillTrusted   = 1 << 20
)

// Chunks begin small and double, so memory follows what has arrived within a
// factor of two.
const (
	firstChunk = 16 << 10
	lastChunk  = 1 << 20
)

// chunks is a received body on its way to zmq4.
type chunks struct{ list [][]byte }

func (c *chunks) empty() bool { return len(c.list) == 0 }

// read moves bytes out and lets go of each chunk as soon as it is spent.
func (c *chunks) read(p []byte) int {
	n := copy(p, c.list[0])
	if c.list[0] = c.list[0][n:]; len(c.list[0]) == 0 {
		c.list[0] = nil
		if c.list = c.list[1:]; len(c.list) == 0 {
			c.list = nil
		}
	}
	return n
}

// spill receives a body of the given size. An untrusted peer pays for each chunk
// out of the shared budget.
func (g *guard) spill(size int64) error {
	for next := int64(firstChunk); size > 0; next = min(2*next, lastChunk) {
		n := min(size, next)
		if err := g.charge(n); err != nil {
			return err
		}
		b := make([]byte, n)
		if err := g.fill(b); err != nil {
			return err
		}
		g.body.list = append(g.body.list, b)
		size -= n
	}
	return nil
}

func (g *guard) charge(n int64) error {
	if g.budget == nil || g.trusted.Load() {
		return nil
	}
	if !g.budget.take(n) {
		return ErrBudget
	}
	g.charged += n
	return nil
}

// fill reads exactly len(b) bytes.
func (g *guard) fill(b []byte) error {
	_, err := io.ReadFull(g.in, b)
	return err
}
