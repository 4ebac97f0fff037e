package zmtp

import (
	"testing"
	"time"
)

func TestLimitsDefaults(t *testing.T) {
	l := Limits{}.withDefaults()
	if l.MaxFrame != 64<<20 || l.MaxFrameUntrusted != 4<<20 || l.MaxHandshakes != 2048 ||
		l.HandshakeTimeout != 5*time.Second || l.HandshakePatience != 200*time.Millisecond || l.FrameTimeout != 30*time.Second || l.StallTimeout != 30*time.Second ||
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
