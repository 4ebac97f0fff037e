package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{Name: "revoke_auth", Who: server.Proven, Doc: `
A minion revokes its own key, with allow_minion_key_revoke.
`}, func(p *Parts) server.Handler {
		return revokeAuth{p.Keys.Editor(), p.Config.AllowMinionKeyRevoke}.serve
	})
}

type revokeAuth struct {
	keys keys.Editor
	on   bool
}

func (c revokeAuth) serve(_ context.Context, r *server.Request) (any, error) {
	if !c.on {
		return nil, errors.New("revoke_auth is off: allow_minion_key_revoke is False")
	}
	if _, err := c.keys.Delete(keys.Selection{keys.Accepted: {r.ID}}); err != nil {
		return nil, fmt.Errorf("revoke the key of %s: %w", r.ID, err)
	}
	return true, nil
}
