package zmtp

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// hungUp tells whether the peer has closed its side, even if it said something before
// that nobody has read. It does not wait.
func hungUp(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	gone := false
	_ = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(p, 0)
		gone = err == nil && n == 1
	})
	return gone
}
