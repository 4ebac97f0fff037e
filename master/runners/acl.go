package runners

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
)

// Explainer is an [Env] that explains the access rules of its master.
type Explainer interface {
	// ExplainAccess reports whether a user may do something on this master, and why. The target is
	// that of a job; runners and wheel functions have none.
	ExplainAccess(q access.Question, tgt any, tgtType string) (verdict.Verdict, error)
}

func init() {
	Register(Function{
		Name: "acl.explain", Args: []string{"user", "fun", "tgt=", "tgt_type=", "args=", "kwargs=", "eauth=", "groups=", "kind=", "ret=", "ret_config=", "ret_kwargs=", "module_executors=", "executor_opts="},
		Doc: `
Explain why the access rules of this master allow or refuse a call. Nothing is published.

user
    The caller. Without eauth it is a user of this machine (publisher_acl).
fun, args, kwargs
    The function, a list of positional arguments and a mapping of keyword arguments.
tgt, tgt_type : glob
    The target of a job.
eauth, groups
    The login service of the user (external_auth), and the groups of the user there.
kind : minions
    The kind of function: minions, runner or wheel.
ret, ret_config, ret_kwargs, module_executors, executor_opts
    The returners and executors of a job, as for a publication.

    salt-run acl.explain fred test.ping 'web*' eauth=pam
`,
		Run: explain,
	})
}

func explain(_ context.Context, c *Call) (any, error) {
	env, ok := c.Env.(Explainer)
	if !ok {
		return nil, invalid("this master has no rules to explain")
	}
	q := access.Question{User: c.Text("user"), Eauth: c.Text("eauth"), Kind: access.Kind(c.Text("kind"))}
	if q.Kind == "" {
		q.Kind = access.Minions
	}
	switch q.Kind {
	case access.Minions, access.Runner, access.Wheel:
	default:
		return nil, invalid("kind=%s is not one of minions, runner, wheel", q.Kind)
	}
	list := func(name string) ([]any, error) {
		v, given := c.Given(name)
		l, is := v.([]any)
		if given && !is {
			return nil, invalid("%s=%v is not a list", name, v)
		}
		return l, nil
	}
	args, err := list("args")
	if err != nil {
		return nil, err
	}
	groups, err := list("groups")
	if err != nil {
		return nil, err
	}
	q.Groups = wire.Texts(groups)
	var kwargs *wire.Map
	if v, given := c.Given("kwargs"); given {
		if kwargs, ok = v.(*wire.Map); !ok {
			return nil, invalid("kwargs=%v is not a mapping", v)
		}
	}
	q.Request = Request{Fun: c.Text("fun"), Args: args, Kwargs: kwargs}
	if q.Settings, err = settingsOf(c); err != nil {
		return nil, err
	}
	tgt, _ := c.Given("tgt")
	if tgt == nil && q.Kind == access.Minions {
		return nil, invalid("a job needs a target: tgt")
	}
	v, err := env.ExplainAccess(q, tgt, c.Text("tgt_type"))
	if err != nil {
		return nil, err
	}
	return v.Map(), nil
}

// settingsOf reads the access settings of a job from the arguments of c.
func settingsOf(c *Call) (access.Settings, error) {
	extra := wire.NewMap()
	for _, name := range []string{"ret_config", "ret_kwargs", "module_executors", "executor_opts"} {
		if v, ok := c.Given(name); ok {
			extra.Set(name, v)
		}
	}
	raw, err := wire.Encode(extra)
	if err != nil {
		return access.Settings{}, invalid("the settings: %w", err)
	}
	return access.SettingsOf(wire.PublishLoad{Ret: c.Text("ret"), Kwargs: raw})
}
