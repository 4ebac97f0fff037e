//go:build unix

package posix

import "golang.org/x/sys/unix"

// Errors of network connections.
const (
	ConnRefused      = unix.ECONNREFUSED
	ConnReset        = unix.ECONNRESET
	ConnTimedOut     = unix.ETIMEDOUT
	HostUnreachable  = unix.EHOSTUNREACH
	NetUnreachable   = unix.ENETUNREACH
	AddrInUse        = unix.EADDRINUSE
	AddrNotAvailable = unix.EADDRNOTAVAIL
)
