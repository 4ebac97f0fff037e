package server

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
)

// Receive handles a request on port 4506. It runs on the connection's reader.
func (s *Server) Receive(req *zmtp.Request) {
	select {
	case <-s.open:
	case <-s.Ctx.Done():
		req.Drop()
		return
	}
	env, err := wire.ParseEnvelope(req.Body)
	if err != nil {
		s.Refused("envelope", req.Peer, err)
		//mutant:cve2023-20897-each-is-answered
		s.answer(req, BadLoad)
		return
	}
	//mutant:cve2025-62349-old-protocol
	if env.Version < s.MinimumVersion {
		s.refuseVersion(req, env)
		return
	}
	if env.Enc == "aes" {
		s.wg.Go(func() { s.serveSealed(req, env) })
		return
	}
	name, err := nameOf(env.Load)
	if err != nil {
		s.answer(req, notAMap)
		return
	}
	switch e := s.clear[name]; {
	case e == nil:
		s.Refused("command", req.Peer, fmt.Errorf("unknown clear command %q", name))
		//mutant:cve2020-11651-clear-list
		s.answer(req, wire.NewMap())
	case e.Costly != nil:
		s.submit(req, e, env)
	default:
		s.wg.Go(func() { s.serveClear(req, e, env) })
	}
}

// nameOf decodes the field cmd of a clear load.
func nameOf(load wire.Raw) (name string, err error) {
	f, err := wire.Pick(load, atDoor, "cmd")
	if err == nil && len(f[0]) <= maxName {
		name, _ = wire.Str(f[0])
	}
	return name, err
}

// refuseVersion refuses a peer whose protocol is older than minimum_auth_version. The log has
// Salt's words, which operators search for, the peer, and the option that would admit it.
func (s *Server) refuseVersion(req *zmtp.Request, env wire.Envelope) {
	s.Stats.Refused.Add(1)
	id, cmd := "", ""
	if !env.Encrypted() {
		if f, err := wire.Pick(env.Load, wire.Limits{}, "id", "cmd"); err == nil {
			if len(f[0]) <= maxName {
				id, _ = wire.Str(f[0])
			}
			cmd, _ = wire.Str(f[1][:min(len(f[1]), maxName)])
		}
	}
	c := admission.Cause{
		Name:   fmt.Sprintf("version/%d", min(max(env.Version, 0), 3)),
		Text:   fmt.Sprintf("Rejected authentication attempt using protocol version %d (minimum required is %d)", env.Version, s.MinimumVersion),
		Option: fmt.Sprintf("minimum_auth_version: %d in this master's configuration lets such minions in; better, upgrade them", max(env.Version, 0)),
	}
	//mutant:refused-protocol-is-logged
	s.Turned.Note(c, s.Now(), id, "peer", req.Peer.Source())
	if cmd == "_auth" {
		// A minion logs this text; any string has the same effect on it.
		s.answer(req, fmt.Sprintf("%s: protocol version %d is below minimum_auth_version %d of this master", BadLoad, env.Version, s.MinimumVersion))
		return
	}
	s.answer(req, BadLoad)
}
