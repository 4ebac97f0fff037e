package zmtp

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Accepted and dialled connections end when the other host vanishes.
func TestKeepAlive(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	q := newReq(t, r.Addr().String(), DialConfig{KeepAlive: net.KeepAliveConfig{
		Enable: true, Idle: 300 * time.Second, Interval: -1, Count: -1, // Salt's defaults
	}})
	if _, err := q.Do(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	option := func(p *Peer, level, name int) (v int) {
		raw, err := p.guard.Conn.(*net.TCPConn).SyscallConn()
		if err == nil {
			cerr := raw.Control(func(fd uintptr) { v, err = unix.GetsockoptInt(int(fd), level, name) })
			err = errors.Join(err, cerr)
		}
		if err != nil {
			t.Error(err)
		}
		return v
	}
	accepted, dialled := r.host.snapshot(nil)[0], q.snapshot(nil)[0]
	for _, c := range []struct {
		what        string
		peer        *Peer
		level, name int
		want        int
	}{
		{"accepted: on", accepted, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{"accepted: idle", accepted, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 60},
		{"accepted: interval", accepted, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 20},
		{"accepted: count", accepted, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 3},
		{"accepted: user timeout", accepted, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 120_000},
		{"dialled: on", dialled, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{"dialled: idle", dialled, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 300},
		{"dialled: user timeout", dialled, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, (300 + 9*75) * 1000},
	} {
		if got := option(c.peer, c.level, c.name); got != c.want {
			t.Errorf("%s is %d, want %d", c.what, got, c.want)
		}
	}
}
