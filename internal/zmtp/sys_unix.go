//go:build unix

package zmtp

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFilesLimit returns RLIMIT_NOFILE, which the Go runtime has already raised to the hard
// limit.
func openFilesLimit() int {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 1024
	}
	return int(min(r.Cur, 1<<20))
}

// writeNow writes as much as the socket accepts without blocking.
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

// canReadNow reports that readNow works here.
const canReadNow = true

// readNow reads the available bytes without blocking. void reports that there are none yet.
func readNow(fd uintptr, b []byte) (n int, void bool, err error) {
	for {
		n, err = syscall.Read(int(fd), b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, true, nil
		case err != nil:
			return 0, false, os.NewSyscallError("read", err)
		case n == 0:
			return 0, false, io.EOF
		}
		return n, false, nil
	}
}

// unreadBytes returns the number of received bytes that wait to be read.
func unreadBytes(fd uintptr) int {
	n, err := unix.IoctlGetInt(int(fd), fionread)
	if err != nil {
		return 0
	}
	return n
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

// outOfFiles reports whether accept failed because descriptors have run out.
func outOfFiles(err error) bool {
	return isErrno(err, unix.EMFILE) || isErrno(err, unix.ENFILE) ||
		isErrno(err, unix.ENOBUFS) || isErrno(err, unix.ENOMEM)
}
