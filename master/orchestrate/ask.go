package orchestrate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// notServed lists the arguments of salt.state and salt.function that are refused.
var notServed = []string{"ssh", "roster"}

// returned is the return of one minion. absent means that it did not return.
type returned struct {
	id     string
	value  any
	ok     bool
	absent bool
}

// ask runs a function on minions and returns their results sorted by id: on all at once, on some
// chosen at random (subset), or on a few at a time (batch, which overrides subset). jid is that of
// the job if there was only one.
func (f *funcs) ask(ctx context.Context, c *states.Call, kind string, q runners.Question) (out []returned, jid string, err error) {
	q.Tgt, q.TgtType, q.Long = c.Value("tgt"), c.Str("tgt_type"), true
	if rets, ok := list(c.Value("ret")); ok {
		q.Ret = strings.Join(rets, ",")
	}
	q.RetConfig = c.Str("ret_config")
	if v := c.Value("ret_kwargs"); v != nil {
		m, ok := v.(*value.Map)
		if !ok {
			return nil, "", fmt.Errorf("ret_kwargs=%s is not a mapping", pyfmt.Str(v))
		}
		q.RetKwargs = m
	}
	timeout, gather := f.env.Timeouts()
	q.Timeout, q.Gather = timeout, gather
	if v := c.Value("timeout"); v != nil {
		n, ok := pyfmt.Number(v)
		if !ok || n < 0 || n > longest.Seconds() {
			return nil, "", fmt.Errorf("timeout=%s is not a number of seconds", pyfmt.Str(v))
		}
		q.Timeout = time.Duration(n * float64(time.Second))
	}
	failhard := c.Value("failhard") == true || f.parts.Failhard
	f.fireArgs(value.NewMap("type", kind, "tgt", q.Tgt, "name", c.Name(), "args", jobArgs(c, q, failhard)))
	if batch := c.Value("batch"); batch != nil {
		out, err = f.inBatches(ctx, q, pyfmt.Str(batch), failhard)
		return out, "", err
	}
	if v := c.Value("subset"); pyfmt.Truth(v) {
		n, err := number(v)
		if err != nil || n < 0 {
			return nil, "", fmt.Errorf("subset=%s is not a number of minions", pyfmt.Str(v))
		}
		few, err := f.few(ctx, q, n)
		if err != nil || len(few) == 0 {
			return nil, "", err
		}
		q.Tgt, q.TgtType = few, "list"
	}
	a, err := f.env.Ask(ctx, q)
	if err != nil {
		return nil, "", err
	}
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		r := a.Returned[id]
		out = append(out, returned{id: id, value: r.Value, ok: r.OK})
	}
	if c.Truth("expect_minions") {
		for _, id := range slices.Sorted(maps.Keys(a.Missing)) {
			out = append(out, returned{id: id, value: false, absent: true})
		}
	}
	return out, a.JID, nil
}

// jobArgs returns the data of the event about a job, in Salt's form.
func jobArgs(c *states.Call, q runners.Question, failhard bool) *value.Map {
	kwargs, arg := q.Kwargs, q.Args
	if kwargs == nil {
		kwargs = value.NewMap()
	}
	if arg == nil {
		arg = []any{}
	}
	m := value.NewMap("arg", arg, "kwarg", kwargs, "ret", q.Ret, "timeout", c.Value("timeout"), "tgt_type", q.TgtType)
	if batch := c.Value("batch"); batch != nil {
		m.Set("batch", pyfmt.Str(batch))
	}
	if subset := c.Value("subset"); subset != nil {
		m.Set("subset", subset)
	}
	if failhard {
		m.Set("failhard", true)
	}
	if q.RetConfig != "" {
		m.Set("ret_config", q.RetConfig)
	}
	if q.RetKwargs.Len() > 0 {
		m.Set("ret_kwargs", q.RetKwargs)
	}
	return m
}
