package commands

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{Name: "mk_token", Who: server.Anyone, Doc: "Not served: external_auth."}, func(p *Parts) server.Handler {
		return func(_ context.Context, r *server.Request) (any, error) {
			p.Server.Refused("command", r.Peer, errors.New("mk_token: external_auth is not served by this master"))
			return "", nil
		}
	})
	Register(server.Command{Name: "get_token", Who: server.Anyone, Doc: "Not served: external_auth, so there are no tokens."}, func(*Parts) server.Handler {
		return func(context.Context, *server.Request) (any, error) { return wire.NewMap(), nil }
	})
}
