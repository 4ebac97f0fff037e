package master

import (
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
)

// newGate puts the rules of sign-in together from the configuration.
func (m *Master) newGate(publishPort int) *keys.Gate {
	c := m.cfg
	return &keys.Gate{
		Identity: m.identity, Sessions: m.sessions, AES: m.shared.Text, PublishPort: publishPort, Log: m.log,
		Decider: keys.NewDecider(m.keys, keys.Policy{
			AutoAccept: c.AutoAccept, OpenMode: c.OpenMode, AutosignFile: c.AutosignFile, AutorejectFile: c.AutorejectFile,
			AutosignGrainsDir: c.AutosignGrainsDir, PermissivePkiAccess: c.PermissivePkiAccess, User: m.access.Own,
			Vouched: m.failover.Vouched, MaxMinions: c.MaxMinions, Connected: m.connected, MaxPending: c.MaxPendingKeys, Log: m.log,
		}),
	}
}

// connected serves max_minions: how many peers are there, and is this one.
func (m *Master) connected(id string) (int, bool) {
	return m.presence.Connected(), m.presence.Minion(id).Live == ledger.Up
}

// keyDesk changes keys on behalf of operators and of the minions themselves.
func (m *Master) keyDesk() keys.Desk {
	d := keys.Desk{Store: m.keys, Fire: m.fire}
	if m.cfg.RotateAesKey {
		d.Rotate = func() error { return keys.RequestRotation(m.cfg.Cachedir, m.id) }
	}
	return d
}
