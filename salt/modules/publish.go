package modules

import (
	"context"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	args := []Arg{
		{Name: "tgt", Required: true},
		{Name: "fun", Required: true},
		{Name: "arg"},
		{Name: "tgt_type", Default: "glob"},
		{Name: "returner", Default: ""},
		{Name: "timeout", Default: int64(5)},
	}
	const doc = `tgt and tgt_type say who is to run the function fun; arg is its argument, or a list of them,
name=value for a keyword. Their returner, if given, also gets the results. After
timeout seconds, the results received so far are returned. The option peer of
the master has to allow it, otherwise the result is an empty map; publish.*
functions are never allowed.
`
	Register("publish",
		Function{Name: "publish", Args: args, Run: publish("clean"), Doc: `
Run a function on other minions, and return their results by minion.

` + doc + `
CLI Example:

    salt web1 publish.publish 'db*' test.ping
    salt web1 publish.publish 'db*' test.kwarg arg="['a=1', 'b=2']"
`},
		Function{Name: "full_data", Args: args, Run: publish("full"), Doc: `
Run a function on other minions, and return by minion all that the master has of
their results: ret, and out if it is set.

` + doc + `
CLI Example:

    salt web1 publish.full_data 'db*' test.ping
`},
		Function{Name: "runner", Args: []Arg{{Name: "fun", Required: true}, {Name: "arg"}, {Name: "timeout", Default: int64(5)}}, Run: publishRunner, Doc: `
Run the runner fun on the master with arg, an argument or a list of them, and
return its result. The option peer_run of the master has to allow it; otherwise
the result is an empty map. timeout is for Salt's masters; a mom master waits up
to a minute.

CLI Example:

    salt web1 publish.runner manage.down
`},
	)
}

// publishArgs returns the arguments as a list; text is parsed as YAML first.
func publishArgs(v any) []any {
	if text, ok := v.(string); ok {
		v = pyfmt.YAMLWord(text)
	}
	switch v := wire.Normal(v).(type) {
	case nil:
		return []any{}
	case []any:
		return v
	default:
		return []any{v}
	}
}

// publishLook is the pause between requests for results.
const publishLook = 300 * time.Millisecond

func publish(form string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		fun := c.Str("fun")
		if strings.HasPrefix(fun, "publish.") {
			logger(c.Env).Info("publish function not published", "fun", fun)
			return value.NewMap(), nil
		}
		seconds, err := c.Float("timeout")
		if err != nil {
			return nil, err
		}
		v, err := c.Env.Ask(ctx, value.NewMap("cmd", "minion_pub", "fun", fun, "arg", publishArgs(c.Value("arg")), "tgt", c.Value("tgt"),
			"tgt_type", c.Value("tgt_type"), "ret", c.Value("returner"), "tmo", c.Value("timeout"), "form", form, "id", c.Env.Option("id"), "no_parse", []any{}))
		if err != nil {
			return nil, err
		}
		job, _ := v.(*value.Map)
		if job.Len() == 0 {
			logger(c.Env).Warn("publish refused by the master", "fun", fun, "hint", "its option peer has to allow it")
			return value.NewMap(), nil // as in Salt
		}
		expected := wire.Texts(job.List("minions"))
		if len(expected) == 0 {
			return nil, nil
		}
		jid, _ := job.Get("jid")
		return publishResults(ctx, c, jid, expected, time.Duration(seconds*float64(time.Second)), form)
	}
}

// publishResults requests the results of a job until all are there or the time is over.
func publishResults(ctx context.Context, c *Call, jid any, expected []string, within time.Duration, form string) (any, error) {
	over := time.Now().Add(within)
	for {
		v, err := c.Env.Ask(ctx, value.NewMap("cmd", "pub_ret", "id", c.Env.Option("id"), "jid", jid))
		if err != nil {
			return nil, err
		}
		rets, _ := v.(*value.Map)
		all := true
		for _, id := range expected {
			all = all && rets.Has(id)
		}
		if all || time.Now().After(over) {
			return shownResults(rets, form), nil
		}
		if err := timing.Sleep(ctx, publishLook); err != nil {
			return nil, err
		}
	}
}

func shownResults(rets *value.Map, form string) *value.Map {
	if form == "full" {
		return rets
	}
	out := value.NewMap()
	for _, k := range rets.Keys() {
		id := PyStr(k)
		v, _ := rets.Map(id).Get("ret")
		out.Set(id, v)
	}
	return out
}

func publishRunner(ctx context.Context, c *Call) (any, error) {
	return c.Env.Ask(ctx, value.NewMap("cmd", "minion_runner", "fun", c.Str("fun"), "arg", publishArgs(c.Value("arg")), "tmo", c.Value("timeout"),
		"id", c.Env.Option("id"), "no_parse", []any{}))
}
