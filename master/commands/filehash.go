package commands

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_file_hash", Who: server.Peer, Args: []string{"path", "saltenv"},
		Doc: `
The hash of a file, by the hash_type of the master; an empty string if it does not exist.
` + docPath,
	}, func(p *Parts) server.Handler { return hashes{fileCommand{p.Files}, p.Config.HashType}.hash })
	Register(server.Command{
		Name: "_file_hash_and_stat", Who: server.Peer, Args: []string{"path", "saltenv"},
		Doc: `
The hash and the stat of a file, as a list of the two.
` + docPath,
	}, func(p *Parts) server.Handler { return hashes{fileCommand{p.Files}, p.Config.HashType}.both })
}

type hashes struct {
	fileCommand
	hashType string
}

func (c hashes) hash(ctx context.Context, r *server.Request) (any, error) {
	sum, _, err := c.of(ctx, r)
	return sum, err
}

func (c hashes) both(ctx context.Context, r *server.Request) (any, error) {
	sum, stat, err := c.of(ctx, r)
	return []any{sum, stat}, err
}

func (c hashes) of(ctx context.Context, r *server.Request) (sum, stat any, err error) {
	d, err := load(r)
	if err != nil {
		return nil, nil, err
	}
	f, found, err := c.find(ctx, d)
	if err != nil || !found {
		return "", nil, err
	}
	text, err := c.files.Hash(ctx, f)
	if err != nil {
		return nil, nil, later(err)
	}
	if f.Stat != nil {
		stat = f.Stat
	}
	return wire.NewMap("hash_type", c.hashType, "hsum", text), stat, nil
}
