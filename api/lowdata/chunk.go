package lowdata

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// Chunk is one call in a request.
type Chunk struct{ fields }

// With returns the chunk with another value of a field.
func (c Chunk) With(field string, v any) Chunk {
	c.m = c.m.Clone()
	c.m.Set(field, v)
	return c
}

// New returns a chunk of alternating fields and values.
func New(kv ...any) Chunk { return Chunk{fields{m: value.NewMap(kv...), typed: true}} }

// Client returns the name of the client, as Salt shows it: None without one.
func (c Chunk) Client() string {
	v, ok := c.m.Get("client")
	if !ok || v == nil {
		return "None"
	}
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}

// Login returns the login in the chunk; false if it has none.
func (c Chunk) Login() (client.Login, bool) {
	l := client.Login{
		Token: c.Text("token"), Eauth: c.Text("eauth"), Username: c.Text("username"), Password: c.Text("password"),
	}
	if l.Token != "" {
		return client.Login{Token: l.Token}, true
	}
	return l, l.Username != "" && l.Eauth != ""
}

// Funs returns the functions: one text, which may list the functions of a job with commas, or a list
// of texts.
func (c Chunk) Funs() ([]string, error) {
	v, _ := c.m.Get("fun")
	var out []string
	switch v := v.(type) {
	case string:
		out = []string{v}
		if c.local() && strings.Contains(v, ",") {
			out = strings.Split(v, ",")
			for i := range out {
				out[i] = strings.TrimSpace(out[i])
			}
		}
	case []any:
		for _, f := range v {
			s, ok := f.(string)
			if !ok {
				return nil, invalid("fun has %v in its list; use names of functions", shown(f))
			}
			out = append(out, s)
		}
	case nil:
		return nil, invalid("the field fun is missing: the name of a function")
	default:
		return nil, invalid("fun is %v; send the name of a function, or a list of names", shown(v))
	}
	if len(out) == 0 || slices.Contains(out, "") {
		return nil, invalid("fun is empty; send the name of a function")
	}
	return out, nil
}

func (c Chunk) local() bool { return strings.HasPrefix(c.Client(), "local") }

// Of returns a chunk with the fields of a map.
func Of(m *value.Map) Chunk { return Chunk{fields{m: m}} }

// Fields returns the fields of the chunk, which the caller must not change.
func (c Chunk) Fields() *value.Map { return c.m }

// extras are further fields of a publication. Other fields are ignored, as in Salt.
var extras = []string{"delimiter", "executor_opts", "metadata", "module_executors", "ret_config", "ret_kwargs"}

// consumed are the fields of a runner or wheel call that are not arguments.
var consumed = []string{"arg", "client", "eauth", "fun", "full_return", "kwarg", "mom_call", "password", "print_event", "timeout", "token", "token_expire", "username"}

// Job returns the job in the chunk.
func (c Chunk) Job() (client.Job, error) {
	funs, err := c.Funs()
	if err != nil {
		return client.Job{}, err
	}
	j := client.Job{Fun: funs, Args: c.args(c.typed), Ret: c.Text("ret"), JID: c.Text("jid"), TgtType: c.Text("tgt_type")}
	if j.TgtType == "" {
		j.TgtType = c.Text("expr_form") // Salt's older name
	}
	if j.Tgt, err = c.target(j.TgtType); err != nil {
		return client.Job{}, err
	}
	if j.JID != "" && !jid.Valid(j.JID) {
		return client.Job{}, invalid("jid is %v, which is not a job id", shown(j.JID))
	}
	if j.Kwargs, err = c.kwargs(); err != nil {
		return client.Job{}, err
	}
	if len(funs) > 1 {
		if len(j.Kwargs) > 0 {
			return client.Job{}, invalid("kwarg for several functions: put a map with the key __kwarg__ into the arguments of each")
		}
		if j.Args, err = each(funs, j.Args); err != nil {
			return client.Job{}, err
		}
	}
	if j.Timeout, err = c.Seconds("timeout"); err != nil {
		return client.Job{}, err
	}
	if v, _ := c.m.Get("queue"); !isBool(v) { // Salt ignores a boolean, which is an argument of state functions
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

// each returns a list of arguments for every function.
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

// target returns the target of a job: a text, or a list for the types list and compound.
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
				return nil, invalid("tgt has %v in its list; use ids of minions", shown(e))
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
		return c.Text("tgt"), nil // an id of digits
	case nil:
	default:
		return nil, invalid("tgt is %v; send a text or a list", shown(v))
	}
	return nil, invalid("the field tgt is missing: which minions are meant")
}

// Runner returns the runner call in the chunk. Fields that are not Salt's are keyword arguments, which
// those of kwarg override.
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

// own reads the field mom_call, which Salt does not have. In {timeout: seconds} it has how long the
// function waits for minions. The field timeout of the chunk is how long the request waits.
func (c Chunk) own(r client.RunnerCall) (client.RunnerCall, error) {
	m, ok := c.m.Map("mom_call"), true
	if m == nil {
		return r, invalid("mom_call is not a map; its field is timeout")
	}
	m.Range(func(k, _ any) bool {
		ok = k == "timeout"
		return ok
	})
	if !ok {
		return r, invalid("mom_call has a field other than timeout")
	}
	var err error
	r.Timeout, err = Of(m).Seconds("timeout")
	return r, err
}

// Wheel returns the wheel call in the chunk: the name of the function and its arguments, those by
// position under the name arg.
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

// call returns what runner and wheel calls have in common.
func (c Chunk) call() (string, map[string]any, error) {
	funs, err := c.Funs()
	if err != nil {
		return "", nil, err
	}
	if len(funs) > 1 {
		return "", nil, invalid("the client %s runs one function; use a chunk for each", c.Client())
	}
	kwargs := map[string]any{}
	var bad error
	c.m.Range(func(k, v any) bool {
		name, ok := k.(string)
		if !ok {
			bad = invalid("a field has the name %v; use texts", shown(k))
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

// Batch returns how to run the job on a few minions at a time. The default is half of them, as in
// Salt.
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

// AllAtOnce refuses the field batch. Salt's clients local, local_async and local_subset ignore it and
// run the job on all minions at once.
func (c Chunk) AllAtOnce() error {
	if c.Text("batch") == "" {
		return nil
	}
	return invalid("client %s runs a job on all minions at once; use local_batch for batch, or leave it out", c.Client())
}

// Subset returns the number of random minions for a job. The default is 3, as in Salt.
func (c Chunk) Subset() (int, error) {
	if !c.Has("subset") && c.Has("sub") {
		return c.Count("sub", 3)
	}
	return c.Count("subset", 3)
}
