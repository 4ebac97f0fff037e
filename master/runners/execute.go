package runners

import (
	"context"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

func init() {
	Register(Function{
		Name: "salt.execute", Args: []string{"tgt", "fun", "arg=", "timeout=", "tgt_type=", "ret=", "jid=", "kwarg="}, AnyKwargs: true, Run: saltExecute, Doc: `
Run a function on minions of the whole tree and return the results by minion. Minions that
do not return are reported as progress.

tgt, tgt_type : glob
    The minions.
fun, arg, kwarg
    The function, a list of positional arguments and a mapping of keyword arguments. Further
    keywords are also arguments of the function.
timeout
    Seconds until minions of unknown presence are asked whether they run the job. Default:
    the option of the master.
ret
    Returners for the minions.
jid
    Must be empty: the master chooses the id.

    salt-run salt.execute '*' test.ping
    salt-run salt.execute 'web*' cmd.run arg='["uptime"]'
`,
	})
}

func saltExecute(ctx context.Context, c *Call) (any, error) {
	v, _ := c.Given("tgt")
	q := Question{Tgt: v, TgtType: "glob", Fun: c.Text("fun"), Ret: c.Text("ret"), Long: true, Kwargs: wire.NewMap()}
	if v == nil || q.Fun == "" {
		return nil, invalid("salt.execute needs a target and the name of a function")
	}
	if t := c.Text("tgt_type"); t != "" {
		q.TgtType = t
	}
	if id := c.Text("jid"); id != "" {
		return nil, invalid("jid=%s: the master chooses the id of a job; leave it out", id)
	}
	var err error
	if q.Timeout, err = c.Seconds("timeout", 0); err != nil {
		return nil, err
	}
	if v, ok := c.Given("arg"); ok {
		if q.Args, ok = v.([]any); !ok {
			return nil, invalid("arg=%v is not a list", v)
		}
	}
	if v, ok := c.Given("kwarg"); ok {
		m, ok := v.(*wire.Map)
		if !ok {
			return nil, invalid("kwarg=%v is not a mapping", v)
		}
		q.Kwargs = m.Clone()
	}
	c.Extra().Range(func(k, v any) bool {
		q.Kwargs.Set(k, v)
		return true
	})
	a, err := query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap()
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		out.Set(id, a.Returned[id].Value)
	}
	return out, nil
}
