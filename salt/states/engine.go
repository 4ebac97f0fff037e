package states

import (
	"context"
	"errors"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// noStates is the tag of the result that says that nothing is to run.
const noStates = "no_|-states_|-states_|-None"

// Highstate runs the states of the top file for this minion. exclude lists states to leave
// out; a non-empty whitelist restricts the SLS names.
func (r *Run) Highstate(ctx context.Context, exclude []any, whitelist []string) (Outcome, error) {
	high, out, err := r.CompileHighstate(ctx, whitelist)
	if err != nil || out != nil {
		if out == nil {
			return Outcome{}, err
		}
		return *out, err
	}
	addExclude(high, exclude)
	if high.Len() == 0 {
		return nothing("No states found for this minion"), nil
	}
	return r.High(ctx, high)
}

// CompileHighstate compiles the top file to high data. If there is nothing to run, or on
// compile errors, it returns the outcome of the run instead.
func (r *Run) CompileHighstate(ctx context.Context, whitelist []string) (*value.Map, *Outcome, error) {
	top, err := r.Top(ctx)
	var bad *TopError
	if errors.As(err, &bad) {
		out := nothing("Unable to render top file: " + bad.Msg)
		return nil, &out, nil
	}
	if err != nil {
		return nil, nil, err
	}
	errs := VerifyTop(top)
	matches, err := r.Matches(ctx, top)
	if errors.As(err, &bad) {
		return nil, &Outcome{Errors: append(errs, bad.Msg)}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if matches.Len() == 0 && len(errs) == 0 {
		out := nothing("No Top file or master_tops data matches found. Please see master log for details.")
		return nil, &out, nil
	}
	high, more, err := r.Collect(ctx, restricted(matches, whitelist))
	if err != nil {
		return nil, nil, err
	}
	if errs = append(errs, more...); len(errs) > 0 {
		return nil, &Outcome{Errors: errs}, nil
	}
	return high, nil, nil
}

// nothing returns the outcome of a run without states.
func nothing(comment string) Outcome {
	return Outcome{Results: value.NewMap(noStates, value.NewMap(
		"result", false, "comment", comment, "name", "No States", "changes", value.NewMap(), "__run_num__", int64(0)))}
}

func restricted(matches *value.Map, whitelist []string) *value.Map {
	if len(whitelist) == 0 {
		return matches
	}
	out := value.NewMap()
	matches.Range(func(env, names any) bool {
		for _, n := range listOf(names) {
			if s, ok := n.(string); ok && slices.Contains(whitelist, s) {
				appendTo(out, str(env), s)
			}
		}
		return true
	})
	return out
}

func addExclude(high *value.Map, exclude []any) {
	if len(exclude) > 0 {
		appendTo(high, "__exclude__", exclude...)
	}
}

// SLS runs SLS files by name, from Saltenv or base.
func (r *Run) SLS(ctx context.Context, names []string, exclude []any) (Outcome, error) {
	high, errs, err := r.CollectSLS(ctx, names)
	if err != nil || errs != nil {
		return Outcome{Errors: errs}, err
	}
	addExclude(high, exclude)
	return r.High(ctx, high)
}

// CollectSLS compiles SLS files to high data.
func (r *Run) CollectSLS(ctx context.Context, names []string) (*value.Map, []string, error) {
	env := r.o.Saltenv
	if env == "" {
		env = "base"
	}
	high, errs, err := r.Collect(ctx, value.NewMap(env, texts(names)))
	if len(errs) == 0 {
		errs = nil
	}
	return high, errs, err
}

// High runs high data, and modifies it.
func (r *Run) High(ctx context.Context, high *value.Map) (Outcome, error) {
	chunks, errs, err := r.Compile(high)
	if err != nil || errs != nil {
		return Outcome{Errors: errs}, err
	}
	if err := r.chunks(ctx, chunks); err != nil {
		return Outcome{}, err
	}
	if err := r.listen(ctx, chunks); err != nil {
		return Outcome{}, err
	}
	return Outcome{Results: r.running, High: high}, nil
}

// Compile compiles high data to chunks, and modifies it.
func (r *Run) Compile(high *value.Map) (chunks []*value.Map, errs []string, err error) {
	addDefaultCall(high)
	errs = append(applyExtend(high, false), VerifyHigh(high)...)
	if len(errs) > 0 {
		return nil, errs, nil
	}
	errs = r.RequisitesIn(high)
	applyExclude(high)
	if len(errs) > 0 {
		return nil, errs, nil
	}
	chunks, err = r.Chunks(high)
	return chunks, nil, err
}

// ShowLow returns the chunks that a highstate would run, without running them.
func (r *Run) ShowLow(high *value.Map) (chunks []*value.Map, errs []string, err error) {
	errs = append(applyExtend(high, false), VerifyHigh(high)...)
	if len(errs) > 0 {
		return nil, errs, nil
	}
	if errs = r.RequisitesIn(high); len(errs) > 0 {
		return nil, errs, nil
	}
	applyExclude(high)
	chunks, err = r.Chunks(high)
	return chunks, nil, err
}

// addDefaultCall adds the function __call__ to a state without one. The state is reported
// as not found under that name.
func addDefaultCall(high *value.Map) {
	high.Range(func(_, b any) bool {
		body, ok := b.(*value.Map)
		if !ok {
			return true
		}
		for _, k := range body.Keys() {
			args, ok := mustList(body, k)
			if !ok || slices.ContainsFunc(args, func(a any) bool { _, text := a.(string); return text }) {
				continue
			}
			at := max(len(args)-1, 0)
			body.Set(k, slices.Insert(slices.Clone(args), at, any("__call__")))
		}
		return true
	})
}

// ID runs the states of one ID in the named SLS files, with the states they require. The
// result is empty if no state has the ID.
func (r *Run) ID(ctx context.Context, id string, names []string) (Outcome, error) {
	high, errs, err := r.CollectSLS(ctx, names)
	if err != nil {
		return Outcome{}, err
	}
	errs = append(errs, VerifyHigh(high)...)
	if len(errs) == 0 {
		errs = append(errs, r.RequisitesIn(high)...)
	}
	if len(errs) > 0 {
		return Outcome{Errors: errs}, nil
	}
	chunks, err := r.Chunks(high)
	if err != nil {
		return Outcome{}, err
	}
	all := value.NewMap()
	for _, c := range chunks {
		if text(c, "__id__") != id {
			continue
		}
		r.running = value.NewMap()
		if err := r.chunk(ctx, c, chunks, 0); err != nil {
			return Outcome{}, err
		}
		r.awaitAll()
		r.running.Range(func(tag, res any) bool {
			all.Set(tag, res)
			return true
		})
	}
	return Outcome{Results: all, High: high}, nil
}

// Single runs one chunk: state, fun, name, __id__ and the arguments.
func (r *Run) Single(ctx context.Context, c *value.Map) (Outcome, error) {
	if errs := r.VerifyChunk(c); len(errs) > 0 {
		return Outcome{Errors: errs}, nil
	}
	if err := r.initModule(ctx, c, nil); err != nil {
		return Outcome{}, err
	}
	tag := Tag(c)
	res, err := r.call(ctx, c, nil, 1)
	if err != nil {
		return Outcome{}, err
	}
	r.running.Set(tag, res)
	r.awaitAll()
	return Outcome{Results: value.NewMap(tag, res)}, nil
}

// chunks runs chunks in order.
func (r *Run) chunks(ctx context.Context, chunks []*value.Map) error {
	defer r.awaitAll()
	chunks = r.disabled(chunks)
	for _, c := range chunks {
		if r.failhard {
			return nil
		}
		tag := Tag(c)
		if !r.running.Has(tag) {
			if r.o.Paused != nil {
				goOn, err := r.o.Paused(ctx, text(c, "__id__"))
				if err != nil {
					return err
				}
				if !goOn {
					return nil
				}
			}
			if err := r.chunk(ctx, c, chunks, 0); err != nil {
				return err
			}
			if r.failsHard(c) {
				r.failhard = true
				return nil
			}
		}
		clear(r.active)
	}
	return nil
}

// disabled sets the results of chunks disabled by state.disable, and returns the others.
func (r *Run) disabled(chunks []*value.Map) []*value.Map {
	patterns := r.o.Grains().Strings("state_runs_disabled")
	if len(patterns) == 0 {
		return chunks
	}
	var out []*value.Map
	for _, c := range chunks {
		fun := c.String("state") + "." + c.String("fun")
		i := slices.IndexFunc(patterns, func(p string) bool { return glob(p, fun) })
		if i < 0 {
			out = append(out, c)
			continue
		}
		r.running.Set(Tag(c), value.NewMap("changes", value.NewMap(), "result", false,
			"comment", "The state function \""+fun+"\" is currently disabled by \""+patterns[i]+"\", to re-enable, run state.enable "+patterns[i]+".",
			"__run_num__", r.runNum, "__sls__", get(c, "__sls__")))
		r.runNum++
	}
	return out
}

// failsHard reports whether a failed chunk ends the run.
func (r *Run) failsHard(c *value.Map) bool {
	if r.o.Test {
		return false
	}
	v, ok := c.Get("failhard")
	if !ok {
		v = r.o.Failhard
	}
	res := r.running.Map(Tag(c))
	return pyfmt.Truth(v) && res != nil && get(res, "result") == false
}
