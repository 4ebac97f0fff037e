package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
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
			AutosignGrainsDir: c.AutosignGrainsDir, PermissivePkiAccess: c.PermissivePkiAccess, User: m.user(),
			Vouched: m.siblings.Vouched, MaxMinions: c.MaxMinions, Connected: m.connected, Log: m.log,
		}),
	}
}

// connected serves max_minions: how many peers are there, and is this one.
func (m *Master) connected(id string) (int, bool) {
	return m.presence.Connected(), m.presence.Minion(id).Live == ledger.Up
}

// signIn serves `_auth` on its own lane: two RSA operations each, in order of
// arrival. A peer that has hung up meanwhile costs nothing any more.
func (m *Master) signIn(req *zmtp.Request, env wire.Envelope) {
	defer m.rescue(req, "_auth")
	m.rsa.Take()
	defer m.rsa.Give()
	if req.Peer.Gone() {
		m.stats.HungUp.Add(1)
		req.Drop()
		return
	}
	a := m.gate.Handle(m.ctx, env.Load, env.Version)
	m.signedIn.Add(a.Verdict.Outcome)
	if a.Event != nil && m.cfg.AuthEvents {
		m.fire("salt/auth", a.Event)
	}
	if a.Verdict.Outcome == keys.Admitted {
		m.presence.SignedIn(a.Auth.ID)
	}
	req.Reply(a.Body)
}
