package zmtp

import (
	"net"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

// Stock peers that send a request at the same moment (2,000 in `make slow`), on a connection
// each, are all served and none is cut, although only one, or eight, are greeted at a time:
// they wait in the system's backlog.
func TestHerd_NobodyIsCut(t *testing.T) {
	for _, c := range []struct {
		table int
		from  func(int) net.IP
	}{{1, nil}, {8, swarmtest.FromMany}} {
		r := newRouter(t, RouterConfig{Limits: Limits{
			MaxHandshakes: c.table, HandshakeTimeout: time.Minute, HandshakePatience: time.Minute,
		}}, echo)
		got := swarmtest.Herd{Addr: r.Addr().String(), N: herd, From: c.from}.Run(t.Context())
		if s := r.Stats(); got.Served != herd || got.Cuts != 0 || s.Evicted != 0 || s.HandshakeWaits == 0 {
			t.Errorf("table of %d: %v; evicted %d, waited %d", c.table, got, s.Evicted, s.HandshakeWaits)
		}
	}
}

// Mute peers (2,000 in `make slow`) that reconnect again and again, from one address and from
// many, do not lock others out of a table of eight places.
func TestHerd_BesideMutePeers(t *testing.T) {
	for _, c := range []struct {
		what string
		from func(int) net.IP
		say  []byte
	}{
		{"one address, nothing said", nil, nil},
		{"many addresses, a beginning", swarmtest.FromMany, greeting(1)[:10]},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := newRouter(t, RouterConfig{Limits: Limits{
				MaxHandshakes: 8, HandshakeTimeout: time.Minute, HandshakePatience: 5 * time.Millisecond,
			}}, echo)
			mutes := swarmtest.Mutes{Addr: r.Addr().String(), N: herd, From: c.from, Say: c.say}
			mutes.Start()
			defer mutes.Stop()
			waiting.Until(t, "the table full", func() bool { return mutes.Up() > 100 && r.Stats().Evicted > 0 })
			got := swarmtest.Herd{Addr: r.Addr().String(), N: 20, From: func(int) net.IP { return net.IPv4(127, 9, 9, 9) }}.Run(t.Context())
			if got.Served != 20 {
				t.Errorf("%v", got)
			}
			if s := r.Stats(); s.Handshaking > 8 {
				t.Errorf("%d are greeted at once", s.Handshaking)
			}
		})
	}
}
