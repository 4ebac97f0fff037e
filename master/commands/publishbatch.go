package commands

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{Name: "publish_batch", Who: server.User, Doc: "Not served: batches that the master itself goes through."}, func(p *Parts) server.Handler {
		return func(_ context.Context, r *server.Request) (any, error) {
			p.Server.Refused("command", r.Peer, errors.New("publish_batch is not served by this master"))
			return wire.NewMap(), nil
		}
	})
}
