package commands

import (
	"context"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/wheels"
)

func init() {
	//mutant:cve2021-25281-wheel-async
	Register(server.Command{
		Name: "wheel", Who: server.Operator, WhoOf: wheels.Who, Logins: true, NoAccess: server.AuthenticationFailed,
		Args: []string{"fun", "arg", "kwarg", "async"},
		Doc: `
Runs a wheel function, and answers when it has finished.

fun, arg, kwarg
    The function and its arguments. Without arg and kwarg, each other field is a keyword
    argument.
async
    The answer comes at once, with jid and tag; the result is the event TAG/ret. Private
    results, such as a private key, are not in events. A mom field.
`,
	}, func(p *Parts) server.Handler {
		return wheel{
			gate: gate{p.Server, p.Audit, p.User, "wheel", p.Access.JudgeWheel, nil}, host: p.Wheels, beside: p.Runners.Go, jids: p.JIDs, own: p.User,
		}.serve
	})
}

type wheel struct {
	gate gate
	host wheels.Host
	// beside runs do in the background.
	beside func(do func(context.Context)) error
	jids   *jid.Generator
	own    string
}

// serve fires events before and after the call (Salt wire reference §8.1).
func (c wheel) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	async := d.Bool("async")
	d.Delete("async") // not an argument of the function
	if r.Login != nil {
		d.Delete("from") // nor is the origin of the login
	}
	//mutant:cve2020-11652-wheel-list
	call := wheels.BindLoad(d)
	if err := c.gate.pass(d, r, call, nil); err != nil {
		return nil, err
	}
	by := owner(d, r, c.own)
	s := wheels.Start{JID: c.jids.Next(), User: by.Name, Eauth: by.Eauth, Call: call}
	if !async {
		data, _ := c.host.Do(ctx, s) // data contains the failure
		return wire.NewMap("tag", s.Tag(), "data", data), nil
	}
	if err := c.beside(func(ctx context.Context) { _, _ = c.host.Do(ctx, s) }); err != nil {
		return nil, server.Refusal{Name: "SaltWheelError", Message: err.Error()}
	}
	return wire.NewMap("tag", s.Tag(), "jid", s.JID), nil
}
