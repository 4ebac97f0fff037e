package commands

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "query", Who: server.Operator, WhoOf: runners.Who, Logins: true, NoAccess: server.AuthenticationFailed,
		Args: []string{"fun", "arg", "kwarg", "timeout"},
		Doc: `
Asks a runner that only reads and is soon done, such as topology.tree: the answer is what it
returns, and neither the event bus nor the job cache is told of it. For what looks at a tree
again and again; our own addition.

fun, arg, kwarg
    The function and its arguments. Who may call it by runner may ask it so; refusals are
    told for the audit.
timeout
    How long it waits for nodes below, in seconds.
`,
	}, func(p *Parts) server.Handler {
		return query{newRunner(p, func(q access.Asked) {
			if !q.Allowed {
				p.Audit(q)
			}
		})}.serve
	})
}

type query struct{ runner }

// serve answers like the last event of a runner: a failed call may also have a value.
func (c query) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	//mutant:api-queries-are-held-to-rules
	call, err := c.admit(ctx, d, r)
	if err != nil {
		return nil, err
	}
	v, err := c.host.Ask(call, owner(d, r, c.own))
	if errors.Is(err, runners.ErrNotRead) || errors.Is(err, runners.ErrBusy) {
		return nil, server.Refusal{Name: "SaltRunnerError", Message: err.Error()}
	}
	m := wire.NewMap("return", v, "success", err == nil)
	if err != nil {
		m.Set("reason", err.Error())
	}
	return m, nil
}
