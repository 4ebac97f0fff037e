package zmtp

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// A stock minion opens a connection for each return and closes it. After an orderly close, each
// would stay in the connection tables on the way for two minutes. Our side ends it with a
// reset, which removes it.
func TestAPeerThatLeavesIsForgottenAtOnce(t *testing.T) {
	r := newRouter(t, RouterConfig{}, echo)
	pub := newPub(t, PubConfig{})
	for _, c := range []struct {
		kind string
		addr net.Addr
		to   string
	}{{"REQ", r.Addr(), "ROUTER"}, {"SUB", pub.Addr(), "PUB"}} {
		p := dialPeer(t, c.addr, 1, c.kind, "")
		if c.kind == "REQ" {
			p.say(t, message("", "hello"))
			if got := p.reply(t); got != "re:hello" {
				t.Errorf("got %q", got)
			}
		}
		if err := p.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.in.ReadByte(); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s: a peer that has closed finds %v, want a reset", c.to, err)
		}
	}
}
