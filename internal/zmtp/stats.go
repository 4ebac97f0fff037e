package zmtp

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"

	"github.com/momtree/mom/internal/posix"
)

// HostStats are the counters that ROUTER and PUB share. Gauges are current values; the others
// count since the socket was opened.
type HostStats struct {
	Peers           int    // gauge: connections after their handshake
	Handshaking     int    // gauge: connections before it
	Accepted        uint64 // connections accepted
	RefusedFull     uint64 // rejected: Limits.MaxConns, Limits.Room
	RefusedAddr     uint64 // rejected: Limits.MaxConnsPerAddr
	Evicted         uint64 // closed in the handshake, silent while others waited: Limits.MaxHandshakes
	HandshakeWaits  uint64 // had to wait for a place for the handshake: Limits.MaxHandshakes
	BudgetWaits     uint64 // had to wait for room: Limits.RequestBytes, Limits.UntrustedBytes
	HandshakeFailed uint64 // including those evicted and timed out
	HandshakeGone   uint64 // disconnected before the handshake; not among those that failed
	AcceptErrors    uint64 // such as no descriptors left

	BacklogPeers    int64 // gauge: connections with a backlog
	BacklogMessages int64 // gauge
	BacklogBytes    int64 // gauge
	RequestBytes    int64 // gauge: memory held by bodies of trusted peers and addresses
	UntrustedBytes  int64 // gauge: memory held by bodies of others

	CutFrame   uint64 // closed: broken framing, frame too large, too many frames
	CutLate    uint64 // closed: Limits.FrameTimeout
	CutBudget  uint64 // closed: found no room in time, or blocked others from it in silence
	CutSlow    uint64 // closed: its queue was full
	CutStalled uint64 // closed: Limits.StallTimeout
	CutSilent  uint64 // closed: no answer to heartbeats, or none from its system (TCP_USER_TIMEOUT)
	CutIdle    uint64 // closed: a stranger, idle while others found no place
}

type hostCounters struct {
	accepted, refusedFull, refusedAddr, acceptErrors                      atomic.Uint64
	handshakeFailed, handshakeGone                                        atomic.Uint64
	cutFrame, cutLate, cutBudget, cutSlow, cutStalled, cutSilent, cutIdle atomic.Uint64
}

// ungreeted counts why a handshake failed.
func (c *hostCounters) ungreeted(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, posix.ConnReset) || errors.Is(err, syscall.EPIPE) {
		c.handshakeGone.Add(1)
		return
	}
	c.handshakeFailed.Add(1)
}

// end counts why a connection ended.
func (c *hostCounters) end(err error) {
	switch {
	case errors.Is(err, ErrFrame), errors.Is(err, ErrFrameSize), errors.Is(err, ErrFrameCount),
		errors.Is(err, ErrEnvelope), errors.Is(err, ErrSubscription):
		c.cutFrame.Add(1)
	case errors.Is(err, ErrLate):
		c.cutLate.Add(1)
	case errors.Is(err, ErrBudget):
		c.cutBudget.Add(1)
	case errors.Is(err, ErrSlow):
		c.cutSlow.Add(1)
	case errors.Is(err, ErrStalled):
		c.cutStalled.Add(1)
	case errors.Is(err, ErrSilent), isErrno(err, posix.ConnTimedOut):
		c.cutSilent.Add(1)
	case errors.Is(err, ErrIdle):
		c.cutIdle.Add(1)
	}
}

func (h *host) stats() HostStats {
	h.mu.Lock()
	peers := len(h.peers)
	h.mu.Unlock()
	c := &h.count
	return HostStats{
		Peers:           peers,
		Handshaking:     h.shakes.len(),
		Accepted:        c.accepted.Load(),
		RefusedFull:     c.refusedFull.Load(),
		RefusedAddr:     c.refusedAddr.Load(),
		Evicted:         h.shakes.evicted.Load(),
		HandshakeWaits:  h.shakes.waits.Load(),
		HandshakeFailed: c.handshakeFailed.Load(),
		HandshakeGone:   c.handshakeGone.Load(),
		AcceptErrors:    c.acceptErrors.Load(),
		BacklogPeers:    h.gauge.peers.Load(),
		BacklogMessages: h.gauge.messages.Load(),
		BacklogBytes:    h.gauge.bytes.Load(),
		RequestBytes:    h.budget.known.held(),
		UntrustedBytes:  h.budget.strangers.held(),
		BudgetWaits:     h.budget.known.waits.Load() + h.budget.strangers.waits.Load(),
		CutFrame:        c.cutFrame.Load(),
		CutLate:         c.cutLate.Load(),
		CutBudget:       c.cutBudget.Load(),
		CutSlow:         c.cutSlow.Load(),
		CutStalled:      c.cutStalled.Load(),
		CutSilent:       c.cutSilent.Load(),
		CutIdle:         c.cutIdle.Load(),
	}
}
