package config

import (
	"fmt"
	"net"
	"strconv"
)

// MasterTopology holds how the nodes of a tree hear of each other beside the
// connections that the tree is made of.
type MasterTopology struct {
	// TopologyGossip lets nodes hear of each other by gossip: off, or how long the
	// links between them are, local, lan or wan. It is a hint that shows
	// partitions; the tree works without. Ours. Default off.
	TopologyGossip string `yaml:"topology_gossip" default:"False" oneof:"off False lan wan local"`
	// TopologyGossipListen is the address, host:port, where other nodes reach this
	// one by TCP and UDP. With topology_gossip: local it is one of this machine's
	// loopback addresses, 127.0.0.1 in place of 0.0.0.0. Ours. Default 0.0.0.0:4507.
	TopologyGossipListen string `yaml:"topology_gossip_listen" default:"0.0.0.0:4507"`
	// TopologyGossipSeeds are addresses, host:port, of some other nodes. One that
	// answers is enough. Ours. Default none.
	TopologyGossipSeeds []string `yaml:"topology_gossip_seeds"`
	// TopologyGossipKeyring names the file of the keys that encrypt the gossip: one
	// in base64 per line, of 16, 24 or 32 bytes; the first is the one that this
	// node uses, the others are understood too. It is read again when it changes.
	// Needed unless topology_gossip is off or local. Ours. Default none.
	TopologyGossipKeyring string `yaml:"topology_gossip_keyring"`
}

// Gossips tells whether topology_gossip is on. YAML reads a bare off as false.
func (t *MasterTopology) Gossips() bool {
	return t.TopologyGossip != "off" && t.TopologyGossip != "False"
}

func (c *checker) topology(t *MasterTopology) {
	if !t.Gossips() {
		return
	}
	if err := hostPort(t.TopologyGossipListen); err != nil {
		c.fault("topology_gossip_listen", "%s", err)
	} else if t.TopologyGossip == "local" && !thisMachine(t.TopologyGossipListen) {
		c.fault("topology_gossip_listen", "is %s: with topology_gossip: local, which needs no keys, it has to be a loopback address; use lan and topology_gossip_keyring between machines", t.TopologyGossipListen)
	}
	for i, s := range t.TopologyGossipSeeds {
		if err := hostPort(s); err != nil {
			c.fault("topology_gossip_seeds", "entry %d: %s", i+1, err)
		}
	}
	if t.TopologyGossipKeyring == "" && t.TopologyGossip != "local" {
		c.fault("topology_gossip_keyring", "is not set: without keys anybody could gossip; make a file with: openssl rand -base64 32")
	}
}

// thisMachine tells whether host:port is heard by this machine alone; an address that
// stands for all is narrowed down.
func thisMachine(s string) bool {
	host, _, err := net.SplitHostPort(s)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()))
}

func hostPort(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("%q is not host:port", s)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q has no valid port", s)
	}
	return nil
}
