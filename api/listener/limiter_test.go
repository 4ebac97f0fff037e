package listener

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// from is a connection that says where it comes from.
type from struct {
	net.Conn
	addr net.Addr
}

func (c from) RemoteAddr() net.Addr { return c.addr }

// connect adds a connection from an address. The other end shows whether it was closed.
func connect(t *testing.T, s *Limiter, addr string) (*Conn, net.Conn) {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	return s.add(from{here, &net.TCPAddr{IP: net.ParseIP(addr), Port: 1}}), there
}

func none(string) bool { return false }

// Strangers make room for each other: the oldest connection of the address is closed first, but never
// one with a request in progress or one of a user.
func TestConns(t *testing.T) {
	s := NewLimiter(10, none)
	var all []*Conn
	var ends []net.Conn
	for range maxStrangersEach {
		c, end := connect(t, s, "10.0.0.1")
		all, ends = append(all, c), append(ends, end)
	}
	all[0].Begin()
	all[1].Trust(true)
	if c, _ := connect(t, s, "10.0.0.1"); c == nil || all[2].closed {
		t.Error("the place of a user's connection is not free")
	}
	if c, _ := connect(t, s, "::ffff:10.0.0.1"); c == nil || !all[2].closed || all[0].closed || all[1].closed {
		t.Fatal("the oldest that waits does not make room")
	}
	if _, err := ends[2].Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the closed connection: %v", err)
	}
	all[0].End()
	all[1].Trust(false)
	for _, c := range all {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if c, _ := connect(t, s, "10.0.0.2"); c == nil {
		t.Error("another address is refused")
	}
	if s.trusted != 0 || s.strangers != s.count["10.0.0.1"]+1 || s.strangers != 3 {
		t.Errorf("%d users, %d strangers, %v", s.trusted, s.strangers, s.count)
	}
}

// The connections of all strangers are bounded: the address with the most makes room, unless all its
// connections have a request in progress. A /64 of IPv6 counts as one address.
func TestConns_Many(t *testing.T) {
	s := NewLimiter(10, none)
	add := func(addr string) *Conn {
		c, _ := connect(t, s, addr)
		return c
	}
	first := add("192.0.2.1")
	for i := range maxStrangers - 1 {
		add(fmt.Sprintf("2001:db8:0:%x::%x", i/200, i))
	}
	for range 100 {
		if add("192.0.2.9") == nil {
			t.Fatal("there is no room")
		}
	}
	if first.closed || s.strangers != maxStrangers || s.count["192.0.2.9"] != 100 {
		t.Errorf("closed %v, %d in all, %d of the new one", first.closed, s.strangers, s.count["192.0.2.9"])
	}
	for _, l := range s.by {
		for e := l.Front(); e != nil; {
			c := e.Value.(*Conn)
			e = e.Next()
			c.Begin()
		}
	}
	if add("192.0.2.10") != nil {
		t.Error("a connection was let in above the bound")
	}
}

// The connections of a proxy have no bound by address: many clients use it.
func TestConns_Proxy(t *testing.T) {
	s := NewLimiter(10, func(addr string) bool { return strings.HasPrefix(addr, "10.0.0.") })
	var all []*Conn
	for range maxStrangersEach + 50 {
		c, _ := connect(t, s, "10.0.0.7")
		all = append(all, c)
	}
	if all[0].closed {
		t.Error("a connection of the proxy was closed")
	}
}
