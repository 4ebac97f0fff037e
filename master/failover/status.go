package failover

import (
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
)

// Home describes this node to a parent. Host is rehome_address, or the address it listens on;
// "", when it listens on all, makes the parent use the address it sees.
func (s *Service) Home() sibling.Node {
	return sibling.Node{
		ID: s.Node, Host: host(s.Config.RehomeAddress, s.Config.Interface), Port: s.Port(), Pub: s.Pair.PublicPEM, Draining: s.Draining(),
	}
}

// host returns rehome_address, or the one address that the node listens on, or "".
func host(rehome, iface string) string {
	if ip := net.ParseIP(strings.Trim(iface, "[]")); rehome == "" && ip != nil && !ip.IsUnspecified() {
		//mutant:siblings-learn-a-reachable-address
		return ip.String()
	}
	return rehome
}

// Status returns who is connected, the guests, and the number of unacknowledged returns.
func (s *Service) Status() *wire.Map {
	silent, here := []any{}, []any{}
	for _, id := range s.Keys.List(keys.Accepted) {
		switch p := s.Presence.Minion(id); {
		case s.IsNode(id):
		case p.Live == engine.Untracked, p.Stock && p.Live != engine.Down: // no stock minion moves
			silent = append(silent, id)
		case p.Live == engine.Up:
			here = append(here, id)
		}
	}
	guests, children := wire.NewMap(), []any{}
	away := s.peers.Guests()
	for _, id := range slices.Sorted(maps.Keys(away)) {
		guests.Set(id, away[id])
	}
	for _, n := range s.peers.Below() {
		children = append(children, wire.NewMap("id", n.ID, "up", s.up(n.ID), "draining", n.Draining))
	}
	_, lists := s.peers.Siblings()
	return wire.NewMap("id", s.Node, "draining", s.Draining(), "owed", s.PendingReturns(), "connected", here, "untracked", silent,
		"guests", guests, "nodes", children, "siblings", IDs(s.Node, lists))
}
