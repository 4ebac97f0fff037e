package commands

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/wheels"
)

func init() {
	Register(server.Command{
		Name: "wheel", Who: server.Operator, WhoOf: wheels.Who, Logins: true, NoAccess: server.AuthenticationFailed,
		Args: []string{"fun", "arg", "kwarg"},
		Doc: `
Runs a wheel function, and answers when it is done.

fun, arg, kwarg
    The function and its arguments. Without arg and kwarg each other field is an argument
    by its name.
`,
	}, func(p *Parts) server.Handler {
		return wheel{
			gate: gate{p.Server, p.Audit, p.User, "wheel", p.Access.JudgeWheel, nil}, env: wheels.Env{Keys: p.Keys.Desk(), Config: p.Config, Tree: p.Tree}, jids: p.JIDs, own: p.User, fire: p.Fire, now: p.Now,
		}.serve
	})
}

type wheel struct {
	gate gate
	env  wheels.Env
	jids *jid.Generator
	own  string
	fire func(tag string, data *wire.Map)
	now  func() time.Time
}

// serve tells the bus of the call before and after it (Salt wire reference §8.1).
func (c wheel) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	call, err := wheels.Read(d)
	asked := access.Call{Fun: d.String("fun")}
	if err == nil {
		asked = access.NewCall(call.Fun, call.Args, call.Kwargs)
	}
	if err := c.gate.pass(d, r, asked); err != nil {
		return nil, err
	}
	id := c.jids.Next()
	tag, fun, user := "salt/wheel/"+id, "wheel."+d.String("fun"), caller(d, r, c.own)
	c.fire(tag+"/new", wire.NewMap("fun", fun, "jid", id, "tag", tag, "user", user))
	var v any
	if err == nil {
		call.Env = c.env
		v, err = wheels.Run(ctx, call)
	}
	data := wire.NewMap("fun", fun, "jid", id, "tag", tag, "user", user, "return", v, "success", err == nil)
	if err != nil {
		data.Set("return", err.Error())
	}
	told := data
	if err == nil && wheels.Private(call.Fun) {
		told = data.Clone()
		told.Set("return", nil)
	}
	c.fire(tag+"/ret", told)
	data.Set("_stamp", c.now().UTC().Format("2006-01-02T15:04:05.000000"))
	return wire.NewMap("tag", tag, "data", data), nil
}
