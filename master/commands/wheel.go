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
		Args: []string{"fun", "arg", "kwarg", "async"},
		Doc: `
Runs a wheel function, and answers when it is done.

fun, arg, kwarg
    The function and its arguments. Without arg and kwarg each other field is an argument
    by its name.
async
    The answer comes at once, with jid and tag: what the function returns is the event
    TAG/ret. What is for its caller alone, such as a private key, is in no event. Our own
    addition.
`,
	}, func(p *Parts) server.Handler {
		return wheel{
			gate: gate{p.Server, p.Audit, p.User, "wheel", p.Access.JudgeWheel, nil}, env: wheels.Env{Keys: p.Keys.Desk(), Config: p.Config, Tree: p.Tree}, beside: p.Runners.Go, jids: p.JIDs, own: p.User, fire: p.Fire, now: p.Now,
		}.serve
	})
}

type wheel struct {
	gate gate
	env  wheels.Env
	// beside does something while nobody waits.
	beside func(do func(context.Context)) error
	jids   *jid.Generator
	own    string
	fire   func(tag string, data *wire.Map)
	now    func() time.Time
}

// serve has the bus told of the call before and after it (Salt wire reference §8.1).
func (c wheel) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	async := d.Bool("async")
	d.Delete("async") // it is no argument of the function
	if r.Login != nil {
		d.Delete("from") // nor is where the login comes from
	}
	call, err := wheels.Read(d)
	asked := access.Call{Fun: d.String("fun")}
	if err == nil {
		asked = access.NewCall(call.Fun, call.Args, call.Kwargs)
	}
	if err := c.gate.pass(d, r, asked, nil); err != nil {
		return nil, err
	}
	w := wheelCall{wheel: c, id: c.jids.Next(), fun: "wheel." + d.String("fun"), user: caller(d, r, c.own), call: call, err: err}
	if !async {
		return wire.NewMap("tag", w.tag(), "data", w.run(ctx)), nil
	}
	if err := c.beside(func(ctx context.Context) { w.run(ctx) }); err != nil {
		return nil, server.Refusal{Name: "SaltWheelError", Message: err.Error()}
	}
	return wire.NewMap("tag", w.tag(), "jid", w.id), nil
}

// wheelCall is one call that is allowed.
type wheelCall struct {
	wheel
	id, fun, user string
	call          *wheels.Call
	err           error // why it cannot be made
}

func (w wheelCall) tag() string { return "salt/wheel/" + w.id }

// run makes the call and gives what is said of it.
func (w wheelCall) run(ctx context.Context) *wire.Map {
	w.fire(w.tag()+"/new", wire.NewMap("fun", w.fun, "jid", w.id, "tag", w.tag(), "user", w.user))
	var v any
	err := w.err
	if err == nil {
		w.call.Env = w.env
		v, err = wheels.Run(ctx, w.call)
	}
	data := wire.NewMap("fun", w.fun, "jid", w.id, "tag", w.tag(), "user", w.user, "return", v, "success", err == nil)
	if err != nil {
		data.Set("return", err.Error())
	}
	told := data
	if err == nil && wheels.Private(w.call.Fun) {
		told = data.Clone()
		told.Set("return", nil)
	}
	w.fire(w.tag()+"/ret", told)
	data.Set("_stamp", w.now().UTC().Format("2006-01-02T15:04:05.000000"))
	return data
}
