package states

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/value"
)

// internal are the options of a chunk that the runner handles, not the function.
var internal = map[string]bool{}

func init() {
	for _, name := range slices.Concat(requisites, []string{
		"onchanges_in", "onfail_in", "prereq_in", "watch_in", "require_in", "listen_in",
		"fun", "state", "check_cmd", "cmd_opts_exclude", "failhard", "onlyif", "unless", "creates", "retry", "order",
		"parallel", "reload_modules", "reload_grains", "reload_pillar", "runas", "runas_password", "no_log", "fire_event", "saltenv",
		"umask", "use", "use_in", "__env__", "__sls__", "__id__", "__orchestration_jid__", "__pub_user", "__pub_arg",
		"__pub_jid", "__pub_fun", "__pub_tgt", "__pub_ret", "__pub_pid", "__pub_tgt_type", "__prereq__", "__prerequired__", "__umask__",
	}) {
		internal[name] = true
	}
}

// InvocationError means that a function cannot be called with a chunk. It ends the run,
// like Salt's SaltInvocationError.
type InvocationError struct{ Msg string }

func (e *InvocationError) Error() string { return e.Msg }

// bind binds a chunk to the arguments of a function.
func (r *Run) bind(full string, spec Spec, c *value.Map, chunks []*value.Map) (*Call, error) {
	call := &Call{
		Fun: full, Args: value.NewMap(), Kwargs: value.NewMap(), Test: r.o.Test || pyfmt.Truth(get(c, "__prereq__")),
		Saltenv: r.saltenv(c), Low: c, Requisites: c.Map("__reqs__"), Chunks: chunks, Running: r.running, Run: &r.shared,
	}
	for _, a := range spec.Args {
		v, ok := c.Get(a.Name)
		if !ok {
			v = copied(a.Default)
		}
		call.Args.Set(a.Name, v)
	}
	var extra []string
	c.Range(func(k, v any) bool {
		name, text := k.(string)
		if !text || internal[name] || call.Args.Has(name) {
			return true
		}
		extra = append(extra, name)
		call.Kwargs.Set(name, v)
		return true
	})
	switch {
	case spec.VarKw || len(extra) == 0:
		return call, nil
	case len(extra) == 1:
		return nil, &InvocationError{fmt.Sprintf("'%s' is an invalid keyword argument for '%s'", extra[0], full)}
	}
	last := len(extra) - 1
	return nil, &InvocationError{fmt.Sprintf("'%s' and '%s' are invalid keyword arguments for '%s'", strings.Join(extra[:last], "', '"), extra[last], full)}
}

// saltenv returns the environment of a chunk.
func (r *Run) saltenv(c *value.Map) string {
	if v, ok := c.Get("saltenv"); ok && !r.o.LockSaltenv {
		return str(v)
	}
	if v, ok := c.Get("__env__"); ok {
		return str(v)
	}
	return "base"
}

// call calls the function of a chunk. try counts from 1 (the option retry).
func (r *Run) call(ctx context.Context, c *value.Map, chunks []*value.Map, try int) (*value.Map, error) {
	began := r.o.Now()
	if errs := r.VerifyChunk(c); len(errs) > 0 {
		res := value.NewMap("result", false, "name", get(c, "name"), "changes", value.NewMap(),
			"comment", strings.Join(errs, "\n")+"\n", "__run_num__", r.runNum)
		r.runNum++
		return res, nil
	}
	full := c.String("state") + "." + c.String("fun")
	spec, _ := r.o.Functions.Spec(full)
	call, err := r.bind(full, spec, c, chunks)
	if err != nil {
		return nil, err
	}
	res, err := r.perform(ctx, spec, c, call, full)
	if err != nil {
		return nil, err
	}
	if pyfmt.Truth(get(c, "__prereq__")) {
		c.Set("__prereq__", false)
		return res, nil
	}
	res.Set("__sls__", get(c, "__sls__"))
	res.Set("__run_num__", r.runNum)
	r.runNum++
	if err := r.refresh(ctx, c, res); err != nil {
		return nil, err
	}
	res.Set("start_time", clock(began))
	res.Set("duration", millis(r.o.Now().Sub(began)))
	res.Set("__id__", get(c, "__id__"))
	if c.Has("retry") && !c.Has("parallel") {
		return r.retry(ctx, c, chunks, res, try)
	}
	return res, nil
}

// perform checks unless, onlyif and creates, calls the function if they allow it, and runs
// check_cmd. A failure of the state is its result; an error ends the run.
func (r *Run) perform(ctx context.Context, spec Spec, c *value.Map, call *Call, full string) (*value.Map, error) {
	res, err := r.attempt(ctx, spec, c, call, full)
	var lookup *RequisiteError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &lookup):
		return nil, err
	case err != nil:
		res = exception(c, err)
	}
	unify(res)
	conceal(c, res)
	return res, nil
}

// conceal hides comment and changes of a state with no_log: True, as Salt 3008 does. It
// also hides those of parallel states, which Salt shows.
func conceal(c, res *value.Map) {
	if !pyfmt.Truth(get(c, "no_log")) {
		return
	}
	for _, name := range []string{"comment", "changes"} {
		res.Set(name, secrets.Hide(get(res, name)))
	}
}

// exception returns the result of a state whose function failed with err.
func exception(c *value.Map, err error) *value.Map {
	return value.NewMap("result", false, "name", get(c, "name"), "changes", value.NewMap(),
		"comment", "An exception occurred in this state: "+err.Error())
}

func (r *Run) attempt(ctx context.Context, spec Spec, c *value.Map, call *Call, full string) (*value.Map, error) {
	res := value.NewMap("result", false, "name", get(c, "name"), "changes", value.NewMap())
	if !spec.OwnUnless && (c.Has("unless") || c.Has("onlyif") || c.Has("creates")) {
		checked, err := r.conditions(ctx, c)
		if err != nil {
			return nil, err
		}
		checked.Range(func(k, v any) bool {
			res.Set(k, v)
			return true
		})
	}
	if get(res, "result") == false {
		var err error
		if res, err = r.perhapsRun(ctx, c, call, full); err != nil {
			return nil, err
		}
	}
	if c.Has("check_cmd") && !spec.OwnCheckCmd {
		checked, err := r.checkCmd(ctx, c)
		if err != nil {
			return nil, err
		}
		checked.Range(func(k, v any) bool {
			res.Set(k, v)
			return true
		})
	}
	return res, nil
}

// perhapsRun calls the function: not at all if mocked, in parallel if the chunk has the
// option parallel.
func (r *Run) perhapsRun(ctx context.Context, c *value.Map, call *Call, full string) (*value.Map, error) {
	if r.o.Mock {
		return value.NewMap("name", get(c, "name"), "comment", "Not called, mocked", "changes", value.NewMap(), "result", true), nil
	}
	if pyfmt.Truth(get(c, "parallel")) && !pyfmt.Truth(get(c, "__prereq__")) {
		return r.start(ctx, c, call), nil
	}
	return r.run(ctx, c, call)
}

// run calls the function with its slots filled and its umask set.
func (r *Run) run(ctx context.Context, c *value.Map, call *Call) (*value.Map, error) {
	if err := r.fillSlots(ctx, call); err != nil {
		return nil, err
	}
	var res *Result
	var err error
	mask, masked := c.Get("__umask__")
	switch {
	case !masked:
		res, err = r.o.Functions.Run(ctx, call)
	case r.o.Umask == nil:
		return nil, errors.New("the state option umask is not supported on this system")
	default:
		n, _ := mask.(int64)
		if e := r.o.Umask(int(n), func() { res, err = r.o.Functions.Run(ctx, call) }); e != nil {
			return nil, e
		}
	}
	if err != nil {
		return nil, err
	}
	return res.Map(), nil
}

// Map returns the result in Salt's form.
func (res *Result) Map() *value.Map {
	m := value.NewMap("name", res.Name, "changes", value.NewMap(), "result", res.Result, "comment", res.Comment)
	if res.Changes != nil {
		m.Set("changes", res.Changes)
	}
	if len(res.Warnings) > 0 {
		m.Set("warnings", texts(res.Warnings))
	}
	res.Extra.Range(func(k, v any) bool {
		m.Set(k, v)
		return true
	})
	return m
}

// unify joins a comment of several lines.
func unify(res *value.Map) {
	if list, ok := get(res, "comment").([]any); ok {
		lines := make([]string, len(list))
		for i, l := range list {
			lines[i] = str(l)
		}
		res.Set("comment", strings.Join(lines, "\n"))
	}
	if v := get(res, "result"); v != nil {
		res.Set("result", pyfmt.Truth(v))
	}
}

// refresh reloads grains, pillar and modules after a state that requests it.
func (r *Run) refresh(ctx context.Context, c, res *value.Map) error {
	if r.o.Reload == nil {
		return nil
	}
	grains, pillar := pyfmt.Truth(get(c, "reload_grains")), pyfmt.Truth(get(c, "reload_pillar"))
	modules := pyfmt.Truth(get(c, "force_reload_modules")) || pyfmt.Truth(get(c, "reload_modules")) && pyfmt.Truth(get(res, "changes"))
	if !grains && !pillar && !modules {
		return nil
	}
	return r.o.Reload(ctx, grains, pillar)
}

// clock formats a time of day as Python does.
func clock(t time.Time) string {
	s := t.Local().Format("15:04:05")
	if us := t.Nanosecond() / 1000; us != 0 {
		s += fmt.Sprintf(".%06d", us)
	}
	return s
}

// millis returns a duration in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
