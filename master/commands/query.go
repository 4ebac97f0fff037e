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
Calls a short read-only runner, such as topology.tree: the answer is its result, without
events or a record in the job cache. For programs that poll the tree. A mom command.

fun, arg, kwarg
    The function and its arguments. The access rules are those of runner; refusals are
    audited.
timeout
    Seconds to wait for nodes below.
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
