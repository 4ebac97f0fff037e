package config

import (
	"strings"
	"testing"
)

func TestTopologyOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		set    func(*Master)
		faulty string
	}{
		{"off", func(m *Master) { m.TopologyGossipListen = "nowhere" }, ""},
		{"off as YAML reads it", func(m *Master) { m.TopologyGossip = "False" }, ""},
		{"local", func(m *Master) { m.TopologyGossip = "local" }, ""},
		{"local on loopback", func(m *Master) { m.TopologyGossip, m.TopologyGossipListen = "local", "127.0.0.2:1" }, ""},
		{"local for others", func(m *Master) { m.TopologyGossip, m.TopologyGossipListen = "local", "10.0.0.1:1" }, "topology_gossip_listen"},
		{"no keyring", func(m *Master) { m.TopologyGossip = "lan" }, "topology_gossip_keyring"},
		{"keyring", func(m *Master) { m.TopologyGossip, m.TopologyGossipKeyring = "wan", "/etc/salt/ring" }, ""},
		{"no port", func(m *Master) { m.TopologyGossip, m.TopologyGossipListen = "local", "10.0.0.1" }, "topology_gossip_listen"},
		{"bad seed", func(m *Master) { m.TopologyGossip, m.TopologyGossipSeeds = "local", []string{"a:1", "b"} }, "topology_gossip_seeds"},
	} {
		m := DefaultMaster()
		c.set(m)
		err := m.Validate()
		said := err != nil && c.faulty != "" && strings.Contains(err.Error(), c.faulty)
		if (c.faulty == "" && err != nil && strings.Contains(err.Error(), "topology")) || (c.faulty != "" && !said) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
