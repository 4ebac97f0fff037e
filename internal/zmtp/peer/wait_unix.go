//go:build unix

package peer

import "syscall"

// reader reads a connection so that a wait holds no buffer.
func reader(c stream) fillFunc {
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
