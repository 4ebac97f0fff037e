//go:build unix

package zmtp

import (
	"net"

	"golang.org/x/sys/unix"
)

// openFilesLimit reads RLIMIT_NOFILE, which the Go runtime has raised to the
// hard limit already.
func openFilesLimit() int {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 1024
	}
	return int(min(r.Cur, 1<<20))
}

// writeNow writes what the socket takes without waiting.
func writeNow(fd uintptr, b []byte) (int, error) {
	for {
		n, err := unix.Write(int(fd), b)
		switch err {
		case nil:
			return n, nil
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}

// setBacklog listens again: a second listen changes the length of the queue.
func setBacklog(l *net.TCPListener, n int) error {
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	if e := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), n) }); e != nil {
		return e
	}
	return err
}

// outOfFiles tells whether accept failed because descriptors have run out.
func outOfFiles(err error) bool {
	return isErrno(err, unix.EMFILE) || isErrno(err, unix.ENFILE) ||
		isErrno(err, unix.ENOBUFS) || isErrno(err, unix.ENOMEM)
}
