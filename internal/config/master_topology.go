package config

import (
	"fmt"
	"net"
	"strconv"
)

// MasterTopology holds the gossip among nodes, which is independent of the tree's connections.
type MasterTopology struct {
	// TopologyGossip controls whether nodes learn of each other by gossip, tuned for links of the type
	// `local`, `lan` or `wan`; `off` disables it. Gossip shows partitions; the tree works without it.
	// Not in Salt.
	TopologyGossip string `yaml:"topology_gossip" default:"False" oneof:"off False lan wan local"`
	// TopologyGossipListen is the address, host:port, for gossip by TCP and UDP. With
	// `topology_gossip: local` it must be a loopback address. Not in Salt.
	TopologyGossipListen string `yaml:"topology_gossip_listen" default:"0.0.0.0:4507"`
	// TopologyGossipSeeds is a list of addresses, host:port, of other nodes. One that answers is
	// enough. Not in Salt.
	TopologyGossipSeeds []string `yaml:"topology_gossip_seeds"`
	// TopologyGossipKeyring is the file with the encryption keys: one per line, base64 of 16, 24 or 32
	// bytes. The first encrypts, all decrypt. It is read again when it changes. Required for `lan` and
	// `wan`. Not in Salt.
	TopologyGossipKeyring string `yaml:"topology_gossip_keyring"`
}

// Gossips reports whether topology_gossip is on. YAML reads a bare off as false.
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

// thisMachine reports whether only this machine can reach host:port. The unspecified address
// counts, because it is narrowed down.
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
