package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

func init() {
	Register(server.Command{
		Name: "runner", Who: server.Operator, WhoOf: whoRuns, Logins: true, NoAccess: server.AuthenticationFailed,
		Args: []string{"fun", "arg", "kwarg", "jid", "timeout", "async", "result"},
		Doc: `
Calls a runner; the answer has the tag of the event with its result.

fun, arg, kwarg
    The function and its arguments.
jid
    The id of the call. Default: a new one.
timeout
    Seconds to wait for minions. Default: the option timeout.
async
    The caller does not wait: the result is stored in the job cache.
result
    Instead of the above: the id of a call whose result was too large for the bus.
`,
	}, func(p *Parts) server.Handler { return newRunner(p, p.Audit).serve })
}

func newRunner(p *Parts, audit func(access.Asked)) runner {
	return runner{
		gate: gate{p.Server, audit, p.User, "runner", p.Access.JudgeRunner, runners.Private}, load: p.Load, host: p.Runners, jids: p.JIDs, own: p.User, depth: p.Config.Bounds.Depth,
	}
}

// whoRuns returns the rule of the function. The caller of a function may fetch its result.
func whoRuns(fun string) server.Who {
	if fun == "" {
		return server.User
	}
	return runners.Who(fun)
}

type runner struct {
	gate  gate
	load  func(ctx context.Context, jid string) (returners.Load, bool, error)
	host  *runners.Host
	jids  *jid.Generator
	own   string
	depth int
}

// serve answers at once, with the tag of the event that will carry the result (Salt wire reference
// §8.1).
func (c runner) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, err
	}
	if id := d.String("result"); id != "" {
		b, ok := c.host.Result(id, c.owner(r))
		if !ok {
			return nil, server.Refusal{Name: "SaltRunnerError", Message: fmt.Sprintf("the result of runner call %s is not held any more", id)}
		}
		return b, nil
	}
	call, err := c.admit(ctx, d, r)
	if err != nil {
		return nil, err
	}
	by := owner(d, r, c.own)
	o := runners.Start{JID: d.String("jid"), User: by.Name, Eauth: by.Eauth, Owner: c.owner(r), Keep: d.Bool("async")}
	switch {
	case o.JID != "" && o.Owner != "":
		return nil, server.Invalid("runner: the caller may not choose jid %q", o.JID)
	case o.JID == "":
		o.JID = c.jids.Next()
	case !jid.Valid(o.JID):
		return nil, server.Invalid("runner: jid %q is not a job id", o.JID)
	}
	tag, err := c.host.Start(call, o)
	if err != nil {
		return nil, server.Refusal{Name: "SaltRunnerError", Message: err.Error()}
	}
	return wire.NewMap("tag", tag, "jid", o.JID), nil
}

// admit binds a call and checks that the client may make it.
func (c runner) admit(ctx context.Context, d *wire.Map, r *server.Request) (functions.Bound, error) {
	q, err := readCall(d)
	if err == nil {
		err = wire.FitFields(r.Load, c.depth)
	}
	if err != nil {
		return functions.Bound{}, server.Invalid("%v", err)
	}
	call := runners.Bind(q)
	besides := func() bool { return c.ownJob(ctx, r.Login, call) }
	return call, c.gate.pass(d, r, call, besides)
}

// owner returns who may see the result: "" is the user of the master, who may see all.
func (c runner) owner(r *server.Request) string {
	if r.Login != nil {
		return access.LoginOwner(r.Login).String() // no user of the machine has such a name
	}
	if r.User == c.own {
		return ""
	}
	return r.User
}

// readCall reads fun and arguments from a runner load. `kwarg` may hold the positional arguments
// under `arg`, and the keywords under a nested `kwarg`.
func readCall(d *wire.Map) (runners.Request, error) {
	call := runners.Request{Fun: d.String("fun"), Kwargs: wire.NewMap()}
	call.Timeout = time.Duration(min(max(d.Float("timeout"), 0), 1e6) * float64(time.Second))
	if call.Fun == "" {
		return call, errors.New("runner: fun is missing")
	}
	call.Args = append(call.Args, d.List("arg")...)
	kw := d.Map("kwarg")
	if kw == nil {
		return call, nil
	}
	if own := kw.Map("kwarg"); own != nil && kw.Has("arg") { // salt-api sends forms like this
		call.Args = append(call.Args, kw.List("arg")...)
		kw = own
	}
	kw.Range(func(k, v any) bool {
		name, _ := k.(string)
		switch {
		case name == "arg":
			l, _ := v.([]any)
			call.Args = append(call.Args, l...)
		case !strings.HasPrefix(name, "__"):
			call.Kwargs.Set(name, v)
		}
		return true
	})
	return call, nil
}
