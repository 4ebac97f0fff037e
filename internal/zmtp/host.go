package zmtp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/posix"
)

// host is the common part of ROUTER and PUB: it accepts connections, does handshakes, keeps the
// table of peers and runs the heartbeats.
type host struct {
	kind   string // ROUTER or PUB
	lim    Limits
	how    ListenConfig
	budget budgets
	log    *slog.Logger
	ready  func(*Peer)       // completes a new peer before it is visible
	serve  func(*Peer) error // reads until the connection ends
	ended  func(*Peer, error)

	ln    net.Listener
	stop  chan struct{}
	once  sync.Once
	wg    sync.WaitGroup
	gauge gauges
	count hostCounters

	shakes handshakes
	mu     sync.Mutex
	conns  int // including handshakes
	seat   *seat
	addrs  map[netip.Addr]int
	peers  map[uint64]*Peer
	leased map[uint64]*Peer // peers that have promised to send something in time
	idle   strangers
	cuts   warnings
}

// listen binds addr and starts to serve. The functions and limits of h are set.
func (h *host) listen(addr string, beat heart) error {
	h.lim = h.lim.withDefaults()
	h.budget.open(&h.lim)
	h.idle.patience = h.lim.StrangerPatience
	if h.log == nil {
		h.log = slog.Default()
	}
	if h.lim.Room != nil {
		h.seat = h.lim.Room.join(h.giveWay)
	}
	h.stop = make(chan struct{})
	h.addrs = make(map[netip.Addr]int)
	h.peers, h.leased = make(map[uint64]*Peer), make(map[uint64]*Peer)
	h.shakes.open(min(h.lim.MaxHandshakes, h.lim.MaxConns), h.lim.HandshakePatience)
	ln, err := h.how.listen(strings.TrimPrefix(addr, "tcp://"))
	if err != nil {
		return fmt.Errorf("%s socket: %w", strings.ToLower(h.kind), err)
	}
	h.ln = ln
	def(&beat.interval, 10*time.Second)
	def(&beat.timeout, 30*time.Second)
	beat.peers, beat.leases, beat.late = h.snapshot, h.leases, &h.shakes.late
	h.wg.Go(func() { h.accept(ln) })
	h.wg.Go(func() { beat.run(h.stop) })
	return nil
}

// accept admits connections until the listener is closed. It never gives up and never spins:
// without descriptors it waits for connections to close.
func (h *host) accept(ln net.Listener) {
	var wait time.Duration
	for {
		c, err := ln.Accept()
		switch {
		case err == nil:
			wait = 0
			h.admit(c)
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		h.count.acceptErrors.Add(1)
		if outOfFiles(err) {
			// Connections that have not sent a greeting go first.
			if !h.shakes.relieve() {
				h.giveWay()
			}
		}
		if wait == 0 {
			h.log.Warn("accept failed", "socket", h.kind, "err", err)
		}
		wait = min(max(2*wait, 5*time.Millisecond), time.Second)
		select {
		case <-h.stop:
			return
		case <-time.After(wait):
		}
	}
}

// admit counts a connection and starts its handshake, or rejects it. It waits until there is a
// place for the handshake: later connections wait in the system's backlog, and a connection
// that has been given up meanwhile is not greeted.
func (h *host) admit(c net.Conn) {
	addr := sourceAddr(c)
	if !h.enter(addr) {
		_ = c.Close()
		return
	}
	h.count.accepted.Add(1)
	ticket := h.shakes.add(c, addr, h.lim.HandshakeTimeout, h.stop)
	if ticket == nil {
		h.leave(addr, nil)
		return
	}
	if hungUp(c) {
		h.shakes.remove(ticket, false)
		h.count.handshakeGone.Add(1)
		_ = c.Close()
		h.leave(addr, nil)
		return
	}
	h.wg.Go(func() {
		if !h.meet(c, addr, ticket) {
			_ = c.Close()
			h.leave(addr, nil)
		}
	})
}

// enter takes a place for a connection from addr, if necessary that of a stranger.
func (h *host) enter(addr netip.Addr) bool {
	for {
		switch err := h.tryEnter(addr); {
		case err == nil:
			return true
		//mutant:idle-strangers-give-way
		case errors.Is(err, errFull) && h.giveWay(), errors.Is(err, errNoRoom) && (h.giveWay() || h.seat.othersGiveWay()):
		case errors.Is(err, errFull), errors.Is(err, errNoRoom):
			h.count.refusedFull.Add(1)
			return false
		default:
			return false
		}
	}
}

var (
	errFull   = errors.New("as many connections are open as may be")
	errNoRoom = errors.New("the room that sockets share is full")
)

// tryEnter takes a place if one is free.
func (h *host) tryEnter(addr netip.Addr) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closing():
		return ErrClosed
	case h.lim.MaxConnsPerAddr > 0 && h.addrs[addr] >= h.lim.MaxConnsPerAddr:
		h.count.refusedAddr.Add(1)
		return errors.New("its address has as many as it may")
	case h.conns >= h.lim.MaxConns:
		return errFull
	case !h.seat.take():
		return errNoRoom
	}
	h.conns++
	h.addrs[addr]++
	return nil
}

// giveWay closes the connection of an idle stranger, whose place is free at once. It returns
// false if no stranger is idle.
func (h *host) giveWay() bool {
	h.mu.Lock()
	p := h.idle.pick(h.peers)
	if p != nil {
		h.free(p.Source(), p)
		p.left = true
	}
	h.mu.Unlock()
	if p == nil {
		return false
	}
	p.close(ErrIdle)
	return true
}

// leave frees the place and removes the peer, if the handshake succeeded.
func (h *host) leave(addr netip.Addr, p *Peer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p == nil || !p.left {
		h.free(addr, p)
	}
}

// free is leave for a peer that is still in the table; h.mu is held.
func (h *host) free(addr netip.Addr, p *Peer) {
	h.conns--
	h.seat.give()
	if h.addrs[addr]--; h.addrs[addr] == 0 {
		delete(h.addrs, addr)
	}
	if p != nil {
		delete(h.peers, p.id)
		delete(h.leased, p.id)
	}
}

// meet does the handshake and, if it succeeds, starts the peer's reader. The reader gets a new
// goroutine, because the handshake has grown the stack of this one, which an idle connection
// would keep.
func (h *host) meet(c net.Conn, addr netip.Addr, ticket *ticket) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			h.count.handshakeFailed.Add(1)
			h.shakes.remove(ticket, false)
			h.log.Error("handshake panicked", "socket", h.kind, "peer", addr, "panic", r)
		}
	}()
	_ = c.SetWriteDeadline(time.Now().Add(h.lim.HandshakeTimeout))
	g := newGuard(c, &h.lim, &h.budget)
	g.from = ticket
	p, err := greet(g, ready{socketType: h.kind}, true)
	if evicted := !h.shakes.remove(ticket, err == nil); evicted {
		err = ErrEvicted
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	if err != nil {
		h.count.ungreeted(err)
		h.log.Debug("handshake failed", "socket", h.kind, "peer", addr, "err", err)
		return false
	}
	p.out.gauge = &h.gauge
	p.leased = func() { h.lease(p) }
	h.ready(p)
	h.mu.Lock()
	if h.closing() {
		h.mu.Unlock()
		return false
	}
	h.peers[p.id] = p
	h.mu.Unlock()
	h.wg.Go(func() { h.attend(p, addr) })
	return true
}

// attend runs a peer's reader and cleans up after it.
func (h *host) attend(p *Peer, addr netip.Addr) {
	err := h.serve(p)
	p.close(err)
	err = p.err
	p.out.done.Wait()
	p.guard.takeCharge().give()
	h.leave(addr, p)
	h.count.end(err)
	level := slog.LevelDebug
	if errors.Is(err, ErrStalled) || isErrno(err, posix.ConnTimedOut) {
		level = h.cuts.level(time.Now())
	}
	h.log.Log(context.Background(), level, "connection ended", "socket", h.kind, "peer", addr, "identity", p.identity, "err", err)
	if h.ended != nil {
		h.ended(p, err)
	}
}

// snapshot appends the current peers.
func (h *host) snapshot(into []*Peer) []*Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.peers {
		into = append(into, p)
	}
	return into
}

// lease records a peer that has promised to send something in time; its reader calls it.
func (h *host) lease(p *Peer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leased[p.id] = p
}

// leases appends the peers that have promised to send something in time.
func (h *host) leases(into []*Peer) []*Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.leased {
		into = append(into, p)
	}
	return into
}

func (h *host) closing() bool {
	select {
	case <-h.stop:
		return true
	default:
		return false
	}
}

// close closes all connections and waits until everything has ended.
func (h *host) close() error {
	var err error
	h.once.Do(func() {
		h.mu.Lock()
		close(h.stop)
		h.mu.Unlock()
		err = h.ln.Close()
		h.shakes.closeAll()
		for _, p := range h.snapshot(nil) {
			p.Close()
		}
	})
	h.wg.Wait()
	return err
}

// sourceAddr returns the address that limits apply to.
func sourceAddr(c net.Conn) netip.Addr {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
