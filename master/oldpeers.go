package master

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/door"
)

// signInsFull is the cause of sign-ins that found no room to wait.
var signInsFull = door.Cause{Name: "sign-in/waiting", Text: "Sign-ins got no answer: as many wait as may", Option: "bounds: sign_ins"}

// refuseVersion answers a peer whose protocol is older than minimum_auth_version. Its
// operator looks for Salt's words, and has to know who it is and which option lets it
// in.
func (m *Master) refuseVersion(req *zmtp.Request, env wire.Envelope) {
	m.stats.Refused.Add(1)
	id, cmd := "", ""
	if !env.Encrypted() {
		if f, err := wire.Pick(env.Load, wire.Limits{}, "id", "cmd"); err == nil {
			if len(f[0]) <= maxName {
				id, _ = wire.Str(f[0])
			}
			cmd, _ = wire.Str(f[1][:min(len(f[1]), maxName)])
		}
	}
	c := door.Cause{
		Name:   fmt.Sprintf("version/%d", min(max(env.Version, 0), 3)),
		Text:   fmt.Sprintf("Rejected authentication attempt using protocol version %d (minimum required is %d)", env.Version, m.cfg.MinimumAuthVersion),
		Option: fmt.Sprintf("minimum_auth_version: %d in this master's configuration lets such minions in; better, upgrade them", max(env.Version, 0)),
	}
	m.turned.Note(c, m.now(), id, "from", req.Peer.Source())
	if cmd == "_auth" {
		// A minion logs this text; to none is it more than a text that is not a map.
		m.answer(req, fmt.Sprintf("%s: protocol version %d is below minimum_auth_version %d of this master", badLoad, env.Version, m.cfg.MinimumAuthVersion))
		return
	}
	m.answer(req, badLoad)
}
