package commands

import (
	"context"

	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/tops"
)

func init() {
	for name, doc := range map[string]string{
		"_master_tops": `
Returns the states of a minion besides those of the top file, by environment (master_tops).
`,
		"_ext_nodes": `
Like _master_tops; the name for minions before Salt 2018.
`,
	} {
		Register(server.Command{Name: name, Who: server.Proven, Doc: doc}, func(p *Parts) server.Handler { return masterTops{p.Tops}.serve })
	}
}

type masterTops struct{ tops *tops.Tops }

// serve answers for the minion that sent the request. It ignores the id in the load.
func (c masterTops) serve(ctx context.Context, r *server.Request) (any, error) {
	return c.tops.States(ctx, r.ID), nil
}
