package peer

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// ipBindAddressNoPort is IP_BIND_ADDRESS_NO_PORT (ip(7)): the port is chosen when the
// destination is known, so that many sockets at one address share its ports.
const ipBindAddressNoPort = 24

// dial connects. Package net would need twice the system calls and four times the stack, and
// there is one stack for each connection being made.
func dial(ctx context.Context, to netip.AddrPort, from netip.Addr) (stream, error) {
	family := syscall.AF_INET
	if to.Addr().Is6() {
		family = syscall.AF_INET6
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := begin(fd, to, from); err != nil && !errors.Is(err, syscall.EINPROGRESS) {
		_ = syscall.Close(fd)
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "")
	stop := context.AfterFunc(ctx, func() { _ = f.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := connected(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("connect to %s: %w", to, err)
	}
	return f, nil
}

// begin starts to connect.
func begin(fd int, to netip.AddrPort, from netip.Addr) error {
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
		return fmt.Errorf("prepare a socket: %w", err)
	}
	if from.IsValid() {
		// Kernels that do not know the option choose a port now.
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, ipBindAddressNoPort, 1)
		if err := syscall.Bind(fd, sockaddr(netip.AddrPortFrom(from, 0))); err != nil {
			return fmt.Errorf("connect from %s: %w", from, err)
		}
	}
	return syscall.Connect(fd, sockaddr(to))
}

// connected waits until a connect has finished.
func connected(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	waited := raw.Write(func(fd uintptr) bool {
		n, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
		if err != nil || n != 0 {
			failed = errors.Join(err, syscall.Errno(n))
			return true
		}
		_, err = syscall.Getpeername(int(fd))
		return err == nil
	})
	return errors.Join(waited, failed)
}

func sockaddr(a netip.AddrPort) syscall.Sockaddr {
	if a.Addr().Is4() {
		return &syscall.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &syscall.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}
