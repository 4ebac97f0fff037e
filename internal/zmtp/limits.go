package zmtp

import "time"

// Limits bound the resources that peers may use. A zero field means its default; negative
// values count as zero.
type Limits struct {
	// MaxFrame is the largest frame in bytes of a trusted or dialled peer and, with some room
	// for an envelope, its largest message. Default 64 MiB.
	MaxFrame int
	// MaxFrameUntrusted is the same for a peer before Peer.Trust. Default 4 MiB.
	MaxFrameUntrusted int
	// MaxFrames is the number of frames per message. Default 16.
	MaxFrames int
	// RequestBytes is the memory that all trusted peers of a socket, and those at trusted
	// addresses, may hold together in bodies above 8 KiB, from their first byte to the reply. A
	// message that finds no room waits. One message may exceed it. Default 32 MiB.
	RequestBytes int64
	// RequestPatience is how long a peer may stop in the middle of a message while others wait
	// for its part of RequestBytes. Default 1 s.
	RequestPatience time.Duration
	// UntrustedBytes is the same as RequestBytes for all other peers. Default 8 MiB.
	UntrustedBytes int64
	// MaxConns is the number of open connections. Default: that of Room, or without one the
	// number of descriptors that the process may have minus Reserve.
	MaxConns int
	// Room is shared with other sockets; nil means that it is not.
	Room *Room
	// MaxConnsPerAddr is the same for one source address; 0 means no limit.
	MaxConnsPerAddr int
	// StrangerPatience is how long an untrusted peer may be idle while others find no place
	// among MaxConns or Room, before it gives way; see Peer.Trust. For a ROUTER, a peer without
	// a request is idle; for a PUB, any. Default 5 s.
	StrangerPatience time.Duration
	// MaxHandshakes is the number of connections that may be in their handshake. While it is
	// reached, others wait in the system's backlog, and a peer that is silent for
	// HandshakePatience gives way. Default 2048.
	MaxHandshakes int
	// HandshakeTimeout is how long a peer may keep the other side waiting until READY, while
	// there is room for all; a dialling side counts from connecting. Default 5 s.
	HandshakeTimeout time.Duration
	// HandshakePatience is how long a peer in its handshake may be silent while others wait for
	// its place. It grows up to twelve times if honest peers are slow, or if this process is
	// scheduled late. Default 200 ms.
	HandshakePatience time.Duration
	// FrameTimeout is the time from a frame's first byte to its last. One second is added for
	// every 64 KiB. Default 30 s.
	FrameTimeout time.Duration
	// StallTimeout is how long a peer may take to read the next 256 KiB of its backlog. Default
	// 30 s.
	StallTimeout time.Duration
}

func (l Limits) withDefaults() Limits {
	def(&l.MaxFrame, 64<<20)
	def(&l.MaxFrameUntrusted, 4<<20)
	l.MaxFrameUntrusted = min(l.MaxFrameUntrusted, l.MaxFrame)
	def(&l.MaxFrames, 16)
	def(&l.RequestBytes, 32<<20)
	def(&l.UntrustedBytes, 8<<20)
	def(&l.RequestPatience, time.Second)
	if l.MaxConns <= 0 {
		room := l.Room
		if room == nil {
			room = NewRoom(0)
		}
		l.MaxConns = room.Total()
	}
	def(&l.StrangerPatience, 5*time.Second)
	def(&l.MaxHandshakes, 2048)
	def(&l.HandshakeTimeout, 5*time.Second)
	def(&l.HandshakePatience, 200*time.Millisecond)
	def(&l.FrameTimeout, 30*time.Second)
	def(&l.StallTimeout, 30*time.Second)
	return l
}

// def replaces a value that is not positive by a default.
func def[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
