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

// The states of a connection.
const (
	phaseGreeting = iota
	phaseHandshake
	phaseTraffic
)

// readBuffer is the buffer of each connection, even an idle one, so it is small. dialledBuffer
// is that of a connection to a server, which sends less. Longer data is read without the
// buffer.
const (
	readBuffer    = 1 << 10
	dialledBuffer = 512
)

// envelopeRoom is the maximum size of a message in addition to its body.
const envelopeRoom = 4 << 10

var errGuardWrite = errors.New("write around the out-queue")

// guard sits between a socket and zmq4.Conn, which allocates whatever a frame header declares.
// It checks each header first. After the handshake it reads messages itself, so that memory
// follows the received bytes.
//
// One goroutine reads; trusted may be set from any.
type guard struct {
	net.Conn
	lim     *Limits
	budgets *budgets // nil for a dialled connection, which is not charged
	trusted atomic.Bool
	vouched bool          // the source address is trusted
	heard   atomic.Bool   // something was read since the last heartbeat check
	paused  atomic.Bool   // it waits for room in the budget, not for the peer
	since   atomic.Int64  // start of the wait for the peer, in a body; 0 means none
	cut     func(error)   // closes the connection
	atWork  atomic.Int64  // charged for requests without a reply yet
	freed   chan struct{} // one slot: atWork has decreased
	dead    chan struct{}
	command func(name, body []byte) error

	from    io.Reader // source of bytes during the handshake; nil means the connection
	phase   int
	minor   byte // the peer's minor protocol version
	pending []byte
	early   []byte // sent with the first bytes that zmq4 writes
	in      *bufio.Reader

	head    []byte // header bytes that zmq4 has not read yet
	headBuf [longHeader]byte
	left    int64 // remaining body bytes; negative after a command
	more    bool  // inside a message
	frames  int
	size    int64   // of the message so far
	charge  *charge // for the message
	armed   bool    // a read deadline is set
}

// budgets hold the memory budgets for the bodies of a socket's peers.
type budgets struct {
	strangers budget
	known     budget // for trusted peers, or peers at trusted addresses
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

// listener is how the guard itself reads from the socket: it records that the peer is alive.
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

// Read returns bytes that have been checked to zmq4.
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

// readGreeting returns the whole greeting at once, after it has checked each part as it
// arrived.
func (g *guard) readGreeting(p []byte) (int, error) {
	for n := 1; ; n = min(g.in.Buffered()+1, greetingSize) {
		if _, err := g.in.Peek(n); err != nil {
			return 0, err
		}
		b, _ := g.in.Peek(min(g.in.Buffered(), greetingSize)) // it is buffered, so there is no error
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

// await waits for the next frame: forever between messages, until the frame deadline within
// one. An idle connection's goroutine waits here, so its callers avoid growing its stack.
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

// next reads a frame header and decides how to handle the frame.
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

// known reports whether the peer is trusted, or its address.
func (g *guard) known() bool { return g.trusted.Load() || g.vouched }

// budget returns the budget for the peer's bodies; nil means that they are not charged.
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

// readHeader reads the next header and stores it for Read.
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

// takeCommand reads a command and executes it.
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

// arm sets the deadline of a frame; the handshake has its own.
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

// Write buffers what zmq4 sends in the handshake until the next Read. After the handshake,
// everything is sent through the out-queue.
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

// begin ends the handshake: from now on the given function handles commands.
func (g *guard) begin(command func(name, body []byte) error) {
	g.command = command
	g.phase = phaseTraffic
	g.from = nil
	g.heard.Store(true)
}

// takeCharge hands over the charge of the message just read. The caller must give it back. It
// returns nil if the message was not charged.
func (g *guard) takeCharge() *charge {
	c := g.charge
	g.charge = nil
	if c != nil {
		c.atWork = true
		g.atWork.Add(c.n)
	}
	return c
}
