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

// Home is what this node says of itself to a master above: where it listens, unless
// rehome_address says otherwise; "" as host, when it listens everywhere, lets that one use the
// address it sees.
func (s *Service) Home() sibling.Node {
	return sibling.Node{
		ID: s.Node, Host: host(s.Config.RehomeAddress, s.Config.Interface), Port: s.Port(), Pub: s.Pair.PublicPEM, Draining: s.Draining(),
	}
}

// host is where minions find a node: rehome_address, else the one address that it
// listens at; "" leaves it to the master above, which sees one.
func host(rehome, iface string) string {
	if ip := net.ParseIP(strings.Trim(iface, "[]")); rehome == "" && ip != nil && !ip.IsUnspecified() {
		//mutant:siblings-learn-a-reachable-address
		return ip.String()
	}
	return rehome
}

// Status tells who is connected, who is a guest, and what is owed upward.
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
	return wire.NewMap("id", s.Node, "draining", s.Draining(), "owed", s.Owed(), "connected", here, "untracked", silent,
		"guests", guests, "nodes", children, "siblings", IDs(s.Node, lists))
}
