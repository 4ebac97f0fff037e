package master

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology/gossip"
)

// gossipPins is the file in cachedir with the keys first seen of nodes.
const gossipPins = "gossip_keys"

// openGossip starts to listen if topology_gossip is set.
func (m *Master) openGossip() (*treewatch.Gossip, error) {
	c := m.cfg
	return treewatch.Listen(treewatch.GossipOptions{
		ID: m.node, Version: m.version, Addr: m.address, Tree: m.tree, On: c.Gossips(), Log: m.log, Now: m.now,
		Gossip: gossip.Options{
			Mode: c.TopologyGossip, Listen: c.TopologyGossipListen, Seeds: c.TopologyGossipSeeds, Keyring: c.TopologyGossipKeyring,
			PinFile: filepath.Join(c.Cachedir, gossipPins), Key: m.keys.Identity.Pair.Private,
		},
	})
}

// vitals returns the sources of this master's own vitals.
func (m *Master) vitals() treewatch.Vitals {
	return treewatch.Vitals{
		Addr: m.address, Keys: m.keys, Nodes: m.policy, Presence: m.presence, Ledger: m.jobs, Outbox: m.store.Outbox(), Log: m.log, Now: m.now,
	}
}

// watch returns the watch over the tree below.
func (m *Master) watch(heard *treewatch.Gossip) *treewatch.Watch {
	return &treewatch.Watch{Tree: m.tree, Vitals: m.vitals(), Self: m.reportProblems, Fire: m.fire, Heard: heard, Log: m.log, Now: m.now}
}

// address returns the address of the request port, with the host name if it listens on all
// interfaces.
func (m *Master) address() string {
	host := strings.Trim(m.cfg.Interface, "[]")
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host, _ = os.Hostname()
	}
	return net.JoinHostPort(host, strconv.Itoa(m.ports.Return()))
}
