package commands

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_file_find", Who: server.Peer, Args: []string{"path", "saltenv"},
		Doc: `
The path and the stat of a file on the master; empty strings if it does not exist.
` + docPath,
	}, func(p *Parts) server.Handler { return fileCommand{p.Files}.where })
}

func (c fileCommand) where(ctx context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	f, found, err := c.find(ctx, d)
	if err != nil {
		return nil, err
	}
	if !found {
		return wire.NewMap("path", "", "rel", ""), nil
	}
	out := wire.NewMap("path", f.Path, "rel", f.Rel)
	if f.Stat != nil {
		out.Set("stat", f.Stat)
	}
	out.Set("back", f.Back)
	return out, nil
}
