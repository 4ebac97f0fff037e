package lowdata

import (
	"maps"
	"slices"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// extras are the further fields that a publication takes; those of other names are
// passed over, as Salt does.
var extras = []string{"delimiter", "executor_opts", "metadata", "module_executors", "ret_config", "ret_kwargs"}

// consumed are the fields of a call of a runner or of the wheel that are no arguments.
var consumed = []string{"arg", "client", "eauth", "fun", "full_return", "kwarg", "mom_call", "password", "print_event", "timeout", "token", "token_expire", "username"}

// Job reads the chunk as a job.
func (c Chunk) Job() (client.Job, error) {
	funs, err := c.Funs()
	if err != nil {
		return client.Job{}, err
	}
	j := client.Job{Fun: funs, Args: c.args(c.typed), Ret: c.Text("ret"), JID: c.Text("jid"), TgtType: c.Text("tgt_type")}
	if j.TgtType == "" {
		j.TgtType = c.Text("expr_form") // Salt's older name of it
	}
	if j.Tgt, err = c.target(j.TgtType); err != nil {
		return client.Job{}, err
	}
	if j.JID != "" && !jid.Valid(j.JID) {
		return client.Job{}, invalid("jid is %v, which is no job id", shown(j.JID))
	}
	if j.Kwargs, err = c.kwargs(); err != nil {
		return client.Job{}, err
	}
	if len(funs) > 1 {
		if len(j.Kwargs) > 0 {
			return client.Job{}, invalid("kwarg of several functions: put a map with the key __kwarg__ into the arguments of each")
		}
		if j.Args, err = each(funs, j.Args); err != nil {
			return client.Job{}, err
		}
	}
	if j.Timeout, err = c.Seconds("timeout"); err != nil {
		return client.Job{}, err
	}
	if v, _ := c.m.Get("queue"); !isBool(v) { // as an argument of state functions it does not belong here, and Salt ignores it
		if j.Queue, err = c.Seconds("queue"); err != nil {
			return client.Job{}, err
		}
	}
	for _, name := range extras {
		if v, ok := c.m.Get(name); ok && v != nil {
			if j.Extra == nil {
				j.Extra = map[string]any{}
			}
			j.Extra[name] = v
		}
	}
	return j, nil
}

// each gives every function a list of arguments.
func each(funs []string, args []any) ([]any, error) {
	if len(args) > len(funs) {
		return nil, invalid("%d lists of arguments for %d functions", len(args), len(funs))
	}
	out := make([]any, len(funs))
	for i := range out {
		out[i] = []any{}
		if i >= len(args) {
			continue
		}
		switch a := args[i].(type) {
		case []any:
			out[i] = a
		case nil, string:
			if a != nil && a != "" {
				out[i] = []any{a}
			}
		default:
			out[i] = []any{a}
		}
	}
	return out, nil
}

// target is whom the job is for: text, or a list where that is the type.
func (c Chunk) target(kind string) (any, error) {
	v, _ := c.m.Get("tgt")
	switch v := v.(type) {
	case string:
		if v != "" {
			return v, nil
		}
	case []any:
		ids := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, invalid("tgt has %v in its list; ids of minions are wanted", shown(e))
			}
			ids = append(ids, s)
		}
		if kind != "list" && kind != "compound" {
			return nil, invalid("tgt is a list and tgt_type is %v; a list needs tgt_type list", shown(kind))
		}
		if len(ids) > 0 {
			return ids, nil
		}
	case int64:
		return c.Text("tgt"), nil // an id of digits alone
	case nil:
	default:
		return nil, invalid("tgt is %v; a text or a list is wanted", shown(v))
	}
	return nil, invalid("the field tgt is missing: which minions are meant")
}

// Runner reads the chunk as a call of a runner. Fields that are not Salt's own are
// keyword arguments, and stand before those of kwarg.
func (c Chunk) Runner() (client.RunnerCall, error) {
	fun, kwargs, err := c.call()
	if err != nil {
		return client.RunnerCall{}, err
	}
	r := client.RunnerCall{Fun: fun, Args: c.args(true), Kwargs: kwargs}
	if c.Has("mom_call") {
		return c.own(r)
	}
	r.Timeout, err = c.Seconds("timeout")
	return r, err
}

// own reads the field mom_call, which Salt does not have: {timeout: seconds} is how long the
// function itself waits for minions. The field timeout beside it is how long the answer is
// waited for, as it is without.
func (c Chunk) own(r client.RunnerCall) (client.RunnerCall, error) {
	m, ok := c.m.Map("mom_call"), true
	if m == nil {
		return r, invalid("mom_call is no map; timeout is its field")
	}
	m.Range(func(k, _ any) bool {
		ok = k == "timeout"
		return ok
	})
	if !ok {
		return r, invalid("mom_call has a field that is not timeout")
	}
	var err error
	r.Timeout, err = Of(m).Seconds("timeout")
	return r, err
}

// Wheel reads the chunk as a call of a wheel function: its name and keyword arguments,
// and those by position under the name arg.
func (c Chunk) Wheel() (fun string, kwargs map[string]any, err error) {
	fun, named, err := c.call()
	if err != nil {
		return "", nil, err
	}
	m := value.NewMap()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		m.Set(name, named[name])
	}
	args := c.args(true)
	if args == nil {
		args = []any{}
	}
	return fun, map[string]any{"arg": args, "kwarg": m}, nil
}

// call reads what runners and the wheel have in common.
func (c Chunk) call() (string, map[string]any, error) {
	funs, err := c.Funs()
	if err != nil {
		return "", nil, err
	}
	if len(funs) > 1 {
		return "", nil, invalid("the client %s runs one function; several need a chunk each", c.Client())
	}
	kwargs := map[string]any{}
	var bad error
	c.m.Range(func(k, v any) bool {
		name, ok := k.(string)
		if !ok {
			bad = invalid("a field has the name %v; names are texts", shown(k))
			return false
		}
		if !slices.Contains(consumed, name) {
			kwargs[name] = v
		}
		return true
	})
	if bad != nil {
		return "", nil, bad
	}
	named, err := c.kwargs()
	if err != nil {
		return "", nil, err
	}
	maps.Copy(kwargs, named)
	return funs[0], kwargs, nil
}

// Batch reads how the job of a chunk is run on a few minions at a time. Salt's default is
// half of them.
func (c Chunk) Batch() (client.Batch, error) {
	b := client.Batch{Size: c.Text("batch")}
	if b.Size == "" {
		b.Size = "50%"
	}
	var err error
	if b.Wait, err = c.Seconds("batch_wait"); err != nil {
		return b, err
	}
	if b.FailHard, err = c.Flag("failhard"); err != nil {
		return b, err
	}
	if err := b.Validate(); err != nil {
		return b, invalid("batch: %v", err)
	}
	return b, nil
}

// AllAtOnce refuses batch: the clients local, local_async and local_subset of Salt ignore it, and run
// the job on all minions at once.
func (c Chunk) AllAtOnce() error {
	if c.Text("batch") == "" {
		return nil
	}
	return invalid("client %s runs a job on all minions at once; use local_batch for batch, or leave it out", c.Client())
}

// Subset is how many minions a job is run on at random. Salt's default is 3.
func (c Chunk) Subset() (int, error) {
	if !c.Has("subset") && c.Has("sub") {
		return c.Count("sub", 3)
	}
	return c.Count("subset", 3)
}
