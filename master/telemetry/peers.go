package telemetry

import (
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/master/keys"
)

func (c Sources) collectPeers(s *metrics.Sink) {
	for _, k := range []struct {
		state keys.State
		name  string
	}{{keys.Accepted, "accepted"}, {keys.Pending, "pending"}, {keys.Rejected, "rejected"}, {keys.Denied, "denied"}} {
		n := float64(c.Keys.Len(k.state))
		s.Set("mom_keys", n, k.name)
		if k.state == keys.Accepted {
			s.Set("salt_health_minions_total", n)
		}
	}
	peers := map[[2]string]int{{"minion", "up"}: 0, {"minion", "down"}: 0, {"syndic", "up"}: 0, {"syndic", "down"}: 0}
	for _, p := range c.Presence.Peers() {
		key := [2]string{"minion", "down"}
		if p.Role == "syndic" { // a peer names its role itself: others count as minions
			key[0] = "syndic"
		}
		if p.Up {
			key[1] = "up"
		}
		peers[key]++
	}
	for key, n := range peers {
		s.Set("mom_peers", float64(n), key[0], key[1])
	}
}
