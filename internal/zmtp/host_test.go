package zmtp

import (
	"testing"
	"time"
)

func TestHandshakeTable(t *testing.T) {
	h := handshakes{limit: 2}
	conns := []*script{newScript(1), newScript(1), newScript(1), newScript(1)}
	var tickets []*ticket
	for _, c := range conns[:3] {
		tickets = append(tickets, h.add(c))
	}
	if !conns[0].closed || conns[1].closed || conns[2].closed {
		t.Error("not the oldest was evicted")
	}
	if h.remove(tickets[0]) {
		t.Error("the evicted one finished its handshake")
	}
	if !h.remove(tickets[1]) || h.remove(tickets[1]) {
		t.Error("a handshake must finish once")
	}
	h.closeAll()
	if !conns[2].closed || conns[1].closed || h.remove(tickets[2]) {
		t.Error("closeAll closes what is in the table")
	}
	if h.add(conns[3]); !conns[3].closed {
		t.Error("a closed table takes nothing")
	}
}

func TestLimitsDefaults(t *testing.T) {
	l := Limits{}.withDefaults()
	if l.MaxFrame != 64<<20 || l.MaxFrameUntrusted != 4<<20 || l.MaxHandshakes != 1024 ||
		l.HandshakeTimeout != 5*time.Second || l.FrameTimeout != 30*time.Second || l.StallTimeout != 30*time.Second ||
		l.MaxConnsPerAddr != 0 || l.MaxConns < 64 || l.MaxConns > 1<<20 {
		t.Errorf("defaults %+v", l)
	}
	if l := (Limits{MaxFrame: 10}).withDefaults(); l.MaxFrameUntrusted != 10 {
		t.Errorf("untrusted peers may send %d, trusted 10", l.MaxFrameUntrusted)
	}
}

func TestNetwork(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:4506": "tcp4", "127.0.0.1:0": "tcp4", "[::]:4506": "tcp", "[::1]:0": "tcp", ":0": "tcp", "salt:4506": "tcp",
	} {
		if got := network(addr); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
