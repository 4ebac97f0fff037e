package commands

import (
	"context"

	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_file_envs", Who: server.Peer, Doc: "The environments of the file server.",
	}, func(p *Parts) server.Handler { return fileCommand{p.Files}.envs })
}

func (c fileCommand) envs(ctx context.Context, _ *server.Request) (any, error) {
	envs, err := c.files.Envs(ctx, "")
	if envs == nil {
		envs = []string{}
	}
	return envs, later(err)
}
