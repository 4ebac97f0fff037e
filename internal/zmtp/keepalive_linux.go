package zmtp

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// userTimeout sets TCP_USER_TIMEOUT; accepted connections inherit it.
func userTimeout(k net.KeepAliveConfig) func(network, addr string, c syscall.RawConn) error {
	ms := int(vanishedAfter(k).Milliseconds())
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, ms)
		}); e != nil {
			return e
		}
		return err
	}
}
