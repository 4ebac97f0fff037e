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

// Peer is one connection after its handshake.
type Peer struct {
	id       uint64
	identity string
	guard    *guard
	out      outq
	pulse    pulse
	reading  atomic.Bool // the reader waits for the peer, not for us
	credit   chan struct{}
	rested   atomic.Int64 // since when it has no request here, on the clock of epoch
	sub      *subscriber  // of a PUB
	left     bool         // it has given its place up; under the host's lock
	leased   func()       // the peer has promised for the first time to be heard; nil: nobody asks

	once sync.Once
	err  error // why it was closed; read after dead
	dead chan struct{}
}

// RemoteAddr is the peer's address.
func (p *Peer) RemoteAddr() net.Addr { return p.guard.RemoteAddr() }

// Identity is what the peer calls itself, at most 255 arbitrary bytes, possibly
// none. Anyone may claim any identity: it is a label, not a proof.
func (p *Peer) Identity() string { return p.identity }

// ID tells connections apart: it is unique in the process and never used again.
func (p *Peer) ID() uint64 { return p.id }

// Trust lifts the limits for untrusted peers, once the peer has proved who it is, and
// has it keep its place whoever else wants one.
func (p *Peer) Trust() { p.guard.trusted.Store(true) }

// Source is the address limits count by, the one the peer's connection comes from.
func (p *Peer) Source() netip.Addr { return sourceAddr(p.guard.Conn) }

// Gone tells whether the connection has ended: a reply would go nowhere.
func (p *Peer) Gone() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// Close drops the connection and what waits for it.
func (p *Peer) Close() { p.close(ErrClosed) }

func (p *Peer) close(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.dead) // first, so that whoever fails on the closed socket finds the reason
		p.out.close()
		//mutant:closed-connections-are-forgotten
		if givenUp(err) || errors.Is(err, io.EOF) {
			p.discard()
		}
		_ = p.guard.Conn.Close()
	})
}

// givenUp tells whether a connection ends because nothing has come in time.
func givenUp(err error) bool {
	return errors.Is(err, ErrSilent) || errors.Is(err, context.DeadlineExceeded)
}

// discard has the system throw away what it has not delivered yet, and forget the
// connection at once. After a connection that was given up it would go on trying for
// minutes, and what has been sent once more would come late. One that the peer has
// closed has nobody left to deliver to; if it ended politely, it would stay for two
// minutes in the peer's table of ports and in the connection table of each machine on
// the way that filters packets (nf_conntrack). A stock minion opens a connection for each
// return: 2,500 of them fill such a table within a hundred jobs, and then packets are
// dropped without a word.
func (p *Peer) discard() {
	if c, ok := p.guard.Conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0) // it may be closed already
	}
}

// reason is the error the peer was closed with, or the given one if it was the
// peer who left.
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

// command answers heartbeats. Other commands are for whoever knows the socket
// type; unknown ones are ignored, as the RFC asks.
func (p *Peer) command(name, body []byte) error {
	switch string(name) {
	case zmq4.CmdPing:
		ttl, context, err := splitPing(body)
		if err != nil {
			return err
		}
		p.pulse.answers.Store(true) // who asks knows how to answer, and may never have to
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

// handshake speaks ZMTP over c as far as READY. The caller has set a deadline and
// closes c when this fails.
func handshake(c net.Conn, lim *Limits, b *budgets, local ready, server bool) (*Peer, error) {
	return greet(newGuard(c, lim, b), local, server)
}

// greet is handshake behind a guard that stands already.
func greet(g *guard, local ready, server bool) (*Peer, error) {
	p := &Peer{guard: g, dead: make(chan struct{})}
	g.cut, g.dead = p.close, p.dead
	sec := &null{local: local}
	if server {
		// Our READY says nothing that depends on the peer's greeting. Sent together
		// they spare a herd of minions, which connect for each return, a packet and a
		// turn of both processes each.
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
