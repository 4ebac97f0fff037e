package minion

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
)

// runJob runs the function or functions of a publication and stores the return.
func (m *Minion) runJob(l *link, p wire.Publication, place *turn) {
	load, err := wire.DecodeMap(p.Full)
	if err != nil {
		m.answer(l, p, failure(p, "ERROR: the publication cannot be read: "+err.Error()))
		return
	}
	load.Delete("serial")
	load.Delete(channel.SeqField)
	ctx, end, err := m.table.Begin(m.jobs, load)
	if err != nil {
		m.log.Warn("job not started", "jid", p.JID, "error", err)
		return
	}
	defer end()
	if err := m.procs.write(p.JID, l.name, load); err != nil {
		m.log.Error("other processes will not see this job", "jid", p.JID, "error", err)
	}
	m.remember(p.JID)
	defer m.procs.remove(p.JID)

	stores, err := m.openReturners(ctx, p)
	if err != nil {
		m.answer(l, p, failure(p, "ERROR: "+err.Error()))
		return
	}
	ret := m.perform(ctx, l, p, load, place)
	full := m.answer(l, p, ret)
	m.saveReturn(stores, p, ret, full)
}

// result is the outcome of a job: for several functions the fields are maps by
// function, or lists with multifunc_ordered (Salt wire reference §9.1).
type result struct {
	value, retcode, success any
	out                     string
}

// failure is the result of a job that did not come to run.
func failure(p wire.Publication, text string) result {
	names, err := functions(p.Fun)
	if err != nil || len(names) < 2 {
		return result{value: text, retcode: 1, success: false, out: "nested"}
	}
	r := result{out: "nested"}
	values, codes, oks := wire.NewMap(), wire.NewMap(), wire.NewMap()
	for _, n := range names {
		values.Set(n, text)
		codes.Set(n, 1)
		oks.Set(n, false)
	}
	r.value, r.retcode, r.success = values, codes, oks
	return r
}

// functions reads the field fun: a name, or a list of names.
func functions(fun wire.Raw) ([]string, error) {
	v, err := wire.Decode(fun)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		names := make([]string, len(v))
		for i, x := range v {
			name, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("function %d is no text", i+1)
			}
			names[i] = name
		}
		return names, nil
	default:
		return nil, fmt.Errorf("fun is a %T, not a name or a list of names", v)
	}
}

// perform waits for the job's turn and runs it.
func (m *Minion) perform(ctx context.Context, l *link, p wire.Publication, load *wire.Map, place *turn) result {
	names, err := functions(p.Fun)
	if err != nil {
		return failure(p, "ERROR: "+err.Error())
	}
	if err := place.wait(ctx); err != nil {
		return failure(p, fmt.Sprintf("ERROR: job %s was ended before it began: %v", p.JID, context.Cause(ctx)))
	}
	env := &env{m: m, l: l}
	if fun, ok := load.Get("fun"); ok {
		if name, single := fun.(string); single {
			r := modules.Execute(ctx, env, modules.Invocation{Fun: name, Args: load.List("arg"), JID: p.JID})
			return result{value: r.Value, retcode: r.Retcode, success: r.Success, out: r.Out}
		}
	}
	return m.performAll(ctx, env, names, load.List("arg"), p.JID)
}

// performAll runs the functions of a compound job one after another.
func (m *Minion) performAll(ctx context.Context, env *env, names []string, args []any, jid string) result {
	values, codes, oks := wire.NewMap(), wire.NewMap(), wire.NewMap()
	var listed [3][]any
	for i, name := range names {
		var own []any
		if i < len(args) {
			own, _ = args[i].([]any)
		}
		r := modules.Execute(ctx, env, modules.Invocation{Fun: name, Args: own, JID: jid})
		values.Set(name, r.Value)
		codes.Set(name, r.Retcode)
		oks.Set(name, r.Success)
		for k, v := range []any{r.Value, r.Retcode, r.Success} {
			listed[k] = append(listed[k], v)
		}
	}
	if m.cfg.MultifuncOrdered {
		return result{value: listed[0], retcode: listed[1], success: listed[2]}
	}
	return result{value: values, retcode: codes, success: oks}
}
