package zmtp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// Where a connection stands.
const (
	phaseGreeting = iota
	phaseHandshake
	phaseTraffic
)

// readBuffer is kept by each connection, idle ones too, so it is small; dialledBuffer by
// those to a server, which says less: what is longer is read past the buffer.
const (
	readBuffer    = 1 << 10
	dialledBuffer = 512
)

// envelopeRoom is what a message may have beyond its body.
const envelopeRoom = 4 << 10

var errGuardWrite = errors.New("write around the out-queue")

// guard stands between a socket and zmq4.Conn, which allocates whatever a frame
// header declares. The guard sees each header first and judges it; after the
// handshake it reads messages itself, so that memory follows what has arrived.
//
// Reads come from one goroutine, trusted may be set from any.
type guard struct {
	net.Conn
	lim     *Limits
	budgets *budgets // nil: not charged, for we have dialled
	trusted atomic.Bool
	vouched bool          // its address is
	heard   atomic.Bool   // something has been read since the last look
	paused  atomic.Bool   // it waits for room, not for the peer
	since   atomic.Int64  // when the wait for the peer began, in a body; 0: it is not waited for
	cut     func(error)   // ends the connection
	atWork  atomic.Int64  // charged for requests that have no reply yet
	freed   chan struct{} // one slot: that has become less
	dead    chan struct{}
	command func(name, body []byte) error

	from    io.Reader // the connection's bytes, during the handshake; nil: the connection
	phase   int
	minor   byte // the peer's minor protocol version
	pending []byte
	early   []byte // leaves with the first that zmq4 writes
	in      *bufio.Reader

	head    []byte // header bytes zmq4 has not fetched yet
	headBuf [longHeader]byte
	left    int64 // body bytes to come; below 0: it was a command
	more    bool  // inside a message
	frames  int
	size    int64   // of the message so far
	charge  *charge // for it
	armed   bool    // a read deadline is set
}

// budgets are what the bodies of a socket's peers are paid out of.
type budgets struct {
	strangers budget
	known     budget // trusted ones, or of trusted addresses
	spent     spent
}

func (b *budgets) open(l *Limits) {
	b.strangers.limit, b.known.limit = l.UntrustedBytes, l.RequestBytes
	b.strangers.spent, b.known.spent = &b.spent, &b.spent
	b.strangers.patience, b.known.patience = l.RequestPatience, l.RequestPatience
}

func newGuard(c net.Conn, lim *Limits, b *budgets) *guard {
	g := &guard{Conn: c, lim: lim, budgets: b, cut: func(error) { _ = c.Close() }, freed: make(chan struct{}, 1)}
	size := readBuffer
	if b == nil {
		size = dialledBuffer
	}
	g.in = bufio.NewReaderSize(listener{g}, size)
	return g
}

// listener is the guard's own way to the socket: it notes that the peer lives.
type listener struct{ g *guard }

func (l listener) Read(p []byte) (int, error) {
	from := l.g.from
	if from == nil {
		from = l.g.Conn
	}
	n, err := from.Read(p)
	if n > 0 {
		l.g.heard.Store(true)
	}
	return n, err
}

// Read gives zmq4 bytes that have been judged.
func (g *guard) Read(p []byte) (int, error) {
	if err := g.flush(); err != nil {
		return 0, err
	}
	if g.phase == phaseGreeting {
		return g.readGreeting(p)
	}
	for {
		switch {
		case len(g.head) > 0:
			n := copy(p, g.head)
			g.head = g.head[n:]
			return n, nil
		case g.left > 0:
			n, err := g.in.Read(p[:min(int64(len(p)), g.left)])
			g.left -= int64(n)
			return n, err
		}
		if err := g.await(); err != nil {
			return 0, err
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// readGreeting hands over the greeting, all of it at once, having looked at it
// byte by byte as it came.
func (g *guard) readGreeting(p []byte) (int, error) {
	for n := 1; ; n = min(g.in.Buffered()+1, greetingSize) {
		if _, err := g.in.Peek(n); err != nil {
			return 0, err
		}
		b, _ := g.in.Peek(min(g.in.Buffered(), greetingSize)) // it is there: no error
		if err := checkGreeting(b); err != nil {
			return 0, err
		}
		if len(b) == greetingSize {
			g.minor = greetingMinor(b)
			g.phase = phaseHandshake
			return g.in.Read(p[:min(len(p), greetingSize)])
		}
	}
}

// await waits for the next frame: between messages for ever, within one until the frame
// deadline. This is where an idle connection's goroutine stands, so what calls it is kept
// from growing its stack.
func (g *guard) await() error {
	if !g.more {
		g.frames, g.size = 0, 0
		g.disarm()
	} else if g.in.Buffered() == 0 {
		g.arm(0)
	}
	_, err := g.in.Peek(1)
	return err
}

// next reads a frame header and decides what becomes of the frame.
func (g *guard) next() error {
	h, err := g.readHeader()
	if err != nil {
		return err
	}
	if h.command() {
		if h.size > maxCommand {
			return fmt.Errorf("%w: command of %d bytes", ErrFrameSize, h.size)
		}
		if g.phase == phaseTraffic {
			g.left = -1
			return g.takeCommand(int(h.size))
		}
		g.left = h.size
		return nil
	}
	if g.phase != phaseTraffic {
		return fmt.Errorf("%w: message before READY", ErrFrame)
	}
	if g.frames++; g.frames > g.lim.MaxFrames {
		return fmt.Errorf("%w: more than %d", ErrFrameCount, g.lim.MaxFrames)
	}
	limit := int64(g.lim.MaxFrameUntrusted)
	if g.known() {
		limit = int64(g.lim.MaxFrame)
	}
	if h.size > limit || g.size+h.size > limit+envelopeRoom {
		return fmt.Errorf("%w: %d bytes declared, limit %d", ErrFrameSize, max(h.size, g.size+h.size), limit)
	}
	g.size += h.size
	g.more = h.more()
	if int64(g.in.Buffered()) < h.size {
		g.arm(h.size)
	}
	g.left = h.size
	return nil
}

// known tells whether the peer has proved who it is, or comes from where one has.
func (g *guard) known() bool { return g.trusted.Load() || g.vouched }

// budget is what the peer's bodies are paid out of; nil: nothing.
func (g *guard) budget() *budget {
	switch {
	case g.budgets == nil:
		return nil
	case g.known():
		//mutant:trusted-bodies-have-a-budget
		return &g.budgets.known
	}
	return &g.budgets.strangers
}

// readHeader reads the next header and puts it where Read finds it.
func (g *guard) readHeader() (header, error) {
	b, err := g.in.Peek(1)
	if err != nil {
		return header{}, err
	}
	n := headerSize(b[0])
	if g.in.Buffered() < n {
		g.arm(0)
	}
	if b, err = g.in.Peek(n); err != nil {
		return header{}, err
	}
	h, err := parseHeader(b)
	if err != nil {
		return h, err
	}
	if !h.command() || g.phase != phaseTraffic {
		g.head = append(g.headBuf[:0], b...)
	}
	_, err = g.in.Discard(n)
	return h, err
}

// takeCommand reads a command and acts on it.
func (g *guard) takeCommand(size int) error {
	if g.in.Buffered() < size {
		g.arm(int64(size))
	}
	b := make([]byte, size)
	if err := g.fill(b); err != nil {
		return err
	}
	name, body, err := splitCommand(b)
	if err != nil {
		return err
	}
	return g.command(name, body)
}

// arm sets the deadline of a frame; the deadline of the handshake is not ours.
func (g *guard) arm(size int64) {
	if g.phase != phaseTraffic {
		return
	}
	g.armed = true
	wait := g.lim.FrameTimeout + time.Duration(size>>16)*time.Second
	_ = g.SetReadDeadline(time.Now().Add(wait))
}

func (g *guard) disarm() {
	if g.armed {
		g.armed = false
		_ = g.SetReadDeadline(time.Time{})
	}
}

// Write collects what zmq4 sends in the handshake; it leaves with the next Read.
// Afterwards everything goes through the out-queue.
func (g *guard) Write(p []byte) (int, error) {
	if g.phase == phaseTraffic {
		return 0, errGuardWrite
	}
	g.pending = append(append(g.pending, p...), g.early...)
	g.early = nil
	return len(p), nil
}

func (g *guard) flush() error {
	if len(g.pending) == 0 {
		return nil
	}
	_, err := g.Conn.Write(g.pending)
	g.pending = nil
	return err
}

// begin ends the handshake: from now on commands go to the given function.
func (g *guard) begin(command func(name, body []byte) error) {
	g.command = command
	g.phase = phaseTraffic
	g.from = nil
	g.heard.Store(true)
}

// takeCharge hands the charge of the message just read to the caller, who must give
// it back; nil if it cost nothing.
func (g *guard) takeCharge() *charge {
	c := g.charge
	g.charge = nil
	if c != nil {
		c.atWork = true
		g.atWork.Add(c.n)
	}
	return c
}
