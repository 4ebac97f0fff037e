package zmtp

import (
	"cmp"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// userTimeout sets TCP_USER_TIMEOUT on a new connection.
func userTimeout(k net.KeepAliveConfig) func(network, addr string, c syscall.RawConn) error {
	return sockopts([]sockopt{{unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(vanishedAfter(k).Milliseconds())}})
}

// keepAlive sets keep-alive on a listening socket, whose connections inherit it. Setting it on
// each connection would be four system calls, and stock minions open one for each request.
func keepAlive(lc *net.ListenConfig, k net.KeepAliveConfig) {
	os := []sockopt{
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(vanishedAfter(k).Milliseconds())},
	}
	// As in package net: 0 is its default, a negative value leaves it to the system.
	for _, o := range []sockopt{
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds(cmp.Or(k.Idle, 15*time.Second))},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, seconds(cmp.Or(k.Interval, 15*time.Second))},
		{unix.IPPROTO_TCP, unix.TCP_KEEPCNT, cmp.Or(k.Count, 9)},
	} {
		if o.value > 0 {
			os = append(os, o)
		}
	}
	lc.KeepAlive, lc.Control = -1, sockopts(os)
}

// seconds rounds up, because the system counts whole seconds.
func seconds(d time.Duration) int {
	if d < 0 {
		return -1
	}
	return int((d + time.Second - 1) / time.Second)
}

// sockopt is a setting of a socket.
type sockopt struct{ level, name, value int }

func sockopts(os []sockopt) func(network, addr string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var err error
		if e := c.Control(func(fd uintptr) {
			for _, o := range os {
				if err = unix.SetsockoptInt(int(fd), o.level, o.name, o.value); err != nil {
					return
				}
			}
		}); e != nil {
			return e
		}
		return err
	}
}
