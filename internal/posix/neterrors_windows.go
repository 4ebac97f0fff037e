package posix

import "golang.org/x/sys/windows"

// Errors of network connections.
const (
	ConnRefused      = windows.WSAECONNREFUSED
	ConnReset        = windows.WSAECONNRESET
	ConnTimedOut     = windows.WSAETIMEDOUT
	HostUnreachable  = windows.WSAEHOSTUNREACH
	NetUnreachable   = windows.WSAENETUNREACH
	AddrInUse        = windows.WSAEADDRINUSE
	AddrNotAvailable = windows.WSAEADDRNOTAVAIL
)
