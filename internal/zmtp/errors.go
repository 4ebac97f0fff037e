package zmtp

import (
	"errors"
	"syscall"
)

// Reasons why a connection ends or a call fails. Errors wrap them.
var (
	ErrClosed       = errors.New("socket is closed")
	ErrGreeting     = errors.New("bad greeting")
	ErrReady        = errors.New("bad READY")
	ErrPeerRefused  = errors.New("peer refused the handshake")
	ErrFrame        = errors.New("bad frame")
	ErrFrameSize    = errors.New("frame or message too large")
	ErrFrameCount   = errors.New("too many frames in one message")
	ErrLate         = errors.New("frame has not arrived in time")
	ErrBudget       = errors.New("memory for requests is used up")
	ErrEnvelope     = errors.New("bad request envelope")
	ErrSubscription = errors.New("too many or too long subscriptions")
	ErrSlow         = errors.New("peer reads too slowly: its queue is full")
	ErrStalled      = errors.New("peer has stopped reading")
	ErrSilent       = errors.New("peer does not answer heartbeats")
	ErrEvicted      = errors.New("silent in its handshake while others waited")
	ErrIdle         = errors.New("has not proved who it is, and idle while others found no place")
	ErrDial         = errors.New("cannot connect")
	ErrLost         = errors.New("connection lost before the reply")
	ErrFilteringOff = errors.New("topic given but filtering is off")
)

func isErrno(err error, e syscall.Errno) bool { return errors.Is(err, e) }
