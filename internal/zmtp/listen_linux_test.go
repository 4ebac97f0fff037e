package zmtp

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestListenConfig(t *testing.T) {
	backlog := func(r *Router) (n int) {
		l := r.host.ln.(*net.TCPListener)
		rc, err := l.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if err := rc.Control(func(fd uintptr) {
			info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			if err != nil {
				t.Error(err)
				return
			}
			n = int(info.Sacked) // the queue length of a listening socket
		}); err != nil {
			t.Error(err)
		}
		return n
	}
	plain := newRouter(t, RouterConfig{}, echo)
	short := newRouter(t, RouterConfig{Listen: ListenConfig{Backlog: 7, KeepAlive: net.KeepAliveConfig{Enable: false, Idle: -1}}}, echo)
	if n := backlog(short); n != 7 {
		t.Errorf("the backlog is %d, want 7", n)
	}
	if n := backlog(plain); n < 128 {
		t.Errorf("the backlog is %d by default, want what the system allows", n)
	}
	for r, want := range map[*Router]int{plain: 1, short: 0} {
		q := newReq(t, r.Addr().String(), DialConfig{})
		if _, err := q.Do(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		rc, err := r.host.snapshot(nil)[0].guard.Conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if err := rc.Control(func(fd uintptr) {
			if on, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_KEEPALIVE); err != nil || on != want {
				t.Errorf("keep-alive of what is accepted is %d, %v; want %d", on, err, want)
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// A host is reached over the requested address family; a client that prefers IPv6 reaches a
// host that has only IPv4.
func TestDialIPv6(t *testing.T) {
	yes, no := true, false
	v4 := newRouter(t, RouterConfig{}, echo)
	type dial struct {
		ipv6 *bool
		addr net.Addr
		ok   bool
	}
	dials := []dial{{nil, v4.Addr(), true}, {&no, v4.Addr(), true}, {&yes, v4.Addr(), true}}
	if v6, err := ListenRouter("[::1]:0", RouterConfig{Log: v4.host.log}, echo); err == nil { // if the system has IPv6
		defer v6.Close()
		dials = append(dials, dial{nil, v6.Addr(), true}, dial{&no, v6.Addr(), false}, dial{&yes, v6.Addr(), true})
	}
	for _, c := range dials {
		d := DialConfig{IPv6: c.ipv6, DialTimeout: time.Second}.withDefaults(time.Second, time.Second)
		p, err := d.dial(t.Context(), c.addr.String(), ready{socketType: "REQ"})
		if (err == nil) != c.ok {
			t.Errorf("to %s: %v", c.addr, err)
		}
		if p != nil {
			p.Close()
		}
	}
}
