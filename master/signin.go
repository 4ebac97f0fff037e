package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/door"
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
			Vouched: m.siblings.Vouched, MaxMinions: c.MaxMinions, Connected: m.connected, MaxPending: c.MaxPendingKeys, Log: m.log,
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
	m.tellSignIn(a, req.Peer)
	if a.Event != nil && m.cfg.AuthEvents {
		m.fire("salt/auth", a.Event)
	}
	if a.Verdict.Outcome == keys.Admitted {
		m.presence.SignedIn(a.Auth.ID)
		m.diary.SignedIn(a.Auth.ID) // before it has the key to connect with
	}
	req.Reply(a.Body)
}

// turnedSignIns are the causes for which sign-ins are turned away.
var turnedSignIns = map[keys.Turned]door.Cause{
	keys.BadRequest: {Name: "sign-in/bad", Text: "Sign-ins were refused that cannot be read"},
	keys.BadKey:     {Name: "sign-in/key", Text: "Sign-ins were refused: their keys are no RSA keys of 1024 bits or more"},
	keys.OtherKey: {
		Name: "sign-in/other-key", Option: "salt-key -d ID, if the minion was set up anew",
		Text: "Sign-ins were refused: they came with another key than the one known, which is an attempt to take over the id, or a minion set up anew whose old key must be deleted",
	},
	keys.Barred:      {Name: "sign-in/rejected", Text: "Sign-ins were refused: their keys are rejected", Option: "salt-key -d ID, autoreject_file"},
	keys.TooMany:     {Name: "sign-in/max-minions", Text: "Sign-ins were refused: as many minions are connected as may be", Option: "max_minions"},
	keys.PendingFull: {Name: "sign-in/pending", Text: "New keys were not kept: as many are pending as may be", Option: "salt-key -a, max_pending_keys"},
}

var pendingDropped = door.Cause{Name: "sign-in/dropped", Text: "Pending keys that had not signed in for an hour made room for new ones", Option: "max_pending_keys"}

// tellSignIn has the operator told, once a minute, of sign-ins that were turned away.
func (m *Master) tellSignIn(a keys.Answer, p *zmtp.Peer) {
	now := m.now()
	if c, ok := turnedSignIns[a.Verdict.Turned]; ok {
		m.turned.Note(c, now, a.Auth.ID, "from", p.Source(), "reason", a.Verdict.Reason)
	}
	if a.Verdict.Dropped != "" {
		m.turned.Note(pendingDropped, now, a.Verdict.Dropped)
	}
}
