package zmtp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Peer is a connection after its handshake.
type Peer struct {
	id       uint64
	identity string
	guard    *guard
	out      outq
	pulse    pulse
	reading  atomic.Bool // the reader waits for the peer, not for us
	credit   chan struct{}
	rested   atomic.Int64 // since when it has no request in progress, on the clock of epoch
	sub      *subscriber  // of a PUB
	left     bool         // its place is free already; under the host's lock
	leased   func()       // called when the peer first promises to send something in time; may be nil

	once sync.Once
	err  error // why it was closed; read after dead
	dead chan struct{}
}

// RemoteAddr returns the peer's address.
func (p *Peer) RemoteAddr() net.Addr { return p.guard.RemoteAddr() }

// Identity returns the identity that the peer claims: at most 255 arbitrary bytes, possibly
// none. Anyone may claim any identity: it is a label, not a proof.
func (p *Peer) Identity() string { return p.identity }

// ID identifies the connection: it is unique in the process and never reused.
func (p *Peer) ID() uint64 { return p.id }

// Trust lifts the limits for untrusted peers, once the peer has proved who it is. A trusted
// peer keeps its place when others want one.
func (p *Peer) Trust() { p.guard.trusted.Store(true) }

// Source returns the address that limits apply to, that of the peer's connection.
func (p *Peer) Source() netip.Addr { return sourceAddr(p.guard.Conn) }

// Gone reports whether the connection has ended, so that a reply would be lost.
func (p *Peer) Gone() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// Close closes the connection and drops its backlog.
func (p *Peer) Close() { p.close(ErrClosed) }

func (p *Peer) close(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.dead) // first, so that an error on the closed socket finds the reason
		p.out.close()
		//mutant:closed-connections-are-forgotten
		if givenUp(err) || errors.Is(err, io.EOF) {
			p.discard()
		}
		_ = p.guard.Conn.Close()
	})
}

// givenUp reports whether a connection ends because nothing arrived in time.
func givenUp(err error) bool {
	return errors.Is(err, ErrSilent) || errors.Is(err, context.DeadlineExceeded)
}

// discard makes the system drop undelivered bytes and forget the connection at once. Otherwise
// it would retry for minutes after a timeout, and data that was sent again meanwhile would
// arrive twice. A connection that the peer has closed has no receiver any more. After an
// orderly close it would stay for two minutes in the peer's table of ports and in the
// connection table of each machine on the way that filters packets (nf_conntrack). A stock
// minion opens a connection for each return: 2,500 of them fill such a table within a hundred
// jobs, and then packets are silently dropped.
func (p *Peer) discard() {
	if c, ok := p.guard.Conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0) // it may be closed already
	}
}

// reason returns the error with which the peer was closed, or err if the peer disconnected.
func (p *Peer) reason(err error) error {
	select {
	case <-p.dead:
		return p.err
	default:
		return err
	}
}

// recv waits for the next user message.
func (p *Peer) recv() ([][]byte, error) {
	p.guard.heard.Store(true)
	p.reading.Store(true)
	frames, err := p.guard.recv()
	p.reading.Store(false)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrLate
	}
	if err != nil {
		return nil, p.reason(err)
	}
	return frames, nil
}

// command answers heartbeats. The code for the socket type handles other commands; unknown ones
// are ignored, as the RFC requires.
func (p *Peer) command(name, body []byte) error {
	switch string(name) {
	case zmq4.CmdPing:
		ttl, context, err := splitPing(body)
		if err != nil {
			return err
		}
		p.pulse.answers.Store(true) // a peer that sends PING can answer it, and may never need to
		p.pulse.ttl.Store(int64(ttl) * int64(100*time.Millisecond))
		if ttl > 0 && !p.pulse.leased.Swap(true) && p.leased != nil {
			p.leased()
		}
		return p.out.put(item{wire: appendCommand(nil, zmq4.CmdPong, context)})
	case zmq4.CmdPong:
		p.pulse.answers.Store(true)
	case zmq4.CmdError:
		return fmt.Errorf("%w: %q", ErrPeerRefused, errorReason(body))
	}
	return nil
}

var lastPeer atomic.Uint64

// handshake does the ZMTP handshake on c up to READY. The caller sets a deadline and closes c
// on an error.
func handshake(c net.Conn, lim *Limits, b *budgets, local ready, server bool) (*Peer, error) {
	return greet(newGuard(c, lim, b), local, server)
}

// greet is handshake with an existing guard.
func greet(g *guard, local ready, server bool) (*Peer, error) {
	p := &Peer{guard: g, dead: make(chan struct{})}
	g.cut, g.dead = p.close, p.dead
	sec := &null{local: local}
	if server {
		// Our READY does not depend on the peer's greeting. Sending both together saves a
		// packet and a context switch of both processes, for each of many minions that connect
		// for each return.
		g.early, sec.said = appendCommand(nil, zmq4.CmdReady, appendReady(nil, local)), true
	}
	_, err := zmq4.Open(p.guard, sec, zmq4.SocketType(local.socketType), nil, server, nil)
	if err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	if err := p.guard.flush(); err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	p.id, p.identity = lastPeer.Add(1), sec.peer.identity
	if p.guard.minor >= 1 {
		p.pulse.answers.Store(true)
	}
	p.out.open(g.Conn)
	p.out.fail = p.close
	p.out.stall = g.lim.StallTimeout
	p.rest()
	p.guard.begin(p.command)
	return p, nil
}
