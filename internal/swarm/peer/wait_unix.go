//go:build unix

package peer

import (
	"net"
	"syscall"
)

// fillFunc reads into what room gives, and calls idle before it waits: then what
// room gave is not used any more.
type fillFunc func(room func() []byte, idle func()) (int, error)

// reader reads a connection so that a wait holds no buffer.
func reader(c net.Conn) fillFunc {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return plainReader(c)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return plainReader(c)
	}
	return func(room func() []byte, idle func()) (n int, err error) {
		waited := raw.Read(func(fd uintptr) bool {
			for {
				n, err = syscall.Read(int(fd), room())
				if err != syscall.EINTR {
					break
				}
			}
			if err == syscall.EAGAIN {
				idle()
				return false
			}
			return true
		})
		if waited != nil {
			return 0, waited
		}
		return max(n, 0), err
	}
}

// control lets many sockets of one address share its ports: the port is chosen when
// the destination is known.
func control(_, _ string, c syscall.RawConn) error {
	var err error
	if outer := c.Control(func(fd uintptr) { err = bindNoPort(int(fd)) }); outer != nil {
		return outer
	}
	return err
}
