package orchestrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// fireArgs fires Salt's event before an orchestration starts a job.
func (f *funcs) fireArgs(data *value.Map) { f.parts.Fire("salt/run/"+f.jid+"/args", data) }

// extra returns our additions to a result.
func extra(jid string) *value.Map {
	if jid == "" {
		return nil
	}
	return value.NewMap("__jid__", jid)
}

// mayFail returns the minions whose failure is ignored.
func mayFail(c *states.Call, r *states.Result) []string {
	v := c.Value("fail_minions")
	l, ok := list(v)
	if !ok {
		r.Warnings = append(r.Warnings, "'fail_minions' needs to be a list or a comma separated string. Ignored.")
	}
	return l
}

// state implements salt.state.
func (f *funcs) state(ctx context.Context, c *states.Call) (*states.Result, error) {
	if no := refused(c, notServed...); no != "" {
		return failed(c, no), nil
	}
	allowed, err := number(c.Value("allow_fail"))
	if err != nil {
		return failed(c, "Passed invalid value for 'allow_fail', must be an int"), nil
	}
	q := runners.Question{Kwargs: value.NewMap()}
	switch {
	case c.Truth("highstate"):
		q.Fun = "state.highstate"
	case c.Truth("top"):
		q.Fun, q.Args = "state.top", []any{c.Value("top")}
	case c.Truth("sls"):
		q.Fun, q.Args = "state.sls", []any{strings.Join(names(c.Value("sls")), ",")}
	default:
		return failed(c, "No highstate or sls specified, no execution made"), nil
	}
	concurrent, ok := c.Value("concurrent").(bool)
	if !ok {
		return failed(c, "Must pass in boolean for value of 'concurrent'"), nil
	}
	test := c.Value("test")
	if test == nil && f.test(c) {
		test = true
	}
	for _, kv := range []struct {
		name string
		v    any
		give bool
	}{
		{"test", test, test != nil},
		{"pillar", c.Value("pillar"), c.Truth("pillar")},
		{"pillarenv", c.Value("pillarenv"), c.Value("pillarenv") != nil},
		{"saltenv", c.Value("saltenv"), c.Value("saltenv") != nil},
		{"exclude", c.Value("exclude"), c.Value("exclude") != nil},
		{"queue", c.Value("queue"), true},
		{"concurrent", concurrent, true},
	} {
		if kv.give {
			q.Kwargs.Set(kv.name, kv.v)
		}
	}
	r := &states.Result{Name: c.Name(), Result: true}
	may := mayFail(c, r)
	got, jid, err := f.ask(ctx, c, "state", q)
	if err != nil {
		return nil, err
	}
	r.Extra = extra(jid)
	if len(got) == 0 && c.Truth("expect_minions") {
		r.Result, r.Comment = false, "No minions returned"
		return r, nil
	}
	f.judge(r, got, may, allowed)
	if (pyfmt.Truth(test) || f.test(c)) && r.Changes.Len() > 0 && r.Result == true {
		r.Result = nil
	}
	return r, nil
}

// judge sets the result of a state from the returns of minions.
func (f *funcs) judge(r *states.Result, got []returned, may []string, allowed int) {
	changes := value.NewMap()
	var bad, same []string
	for _, m := range got {
		switch {
		case m.absent || !succeeded(m.value, true):
			if !slices.Contains(may, m.id) {
				bad = append(bad, m.id)
			}
			changes.Set(m.id, m.value)
		case changed(m.value):
			changes.Set(m.id, m.value)
		default:
			same = append(same, m.id)
		}
	}
	if changes.Len() > 0 {
		r.Changes = value.NewMap("out", "highstate", "ret", changes)
	}
	if len(bad) > allowed {
		r.Result, r.Comment = false, "Run failed on minions: "+strings.Join(bad, ", ")
		return
	}
	r.Comment = "States ran successfully."
	if changes.Len() > 0 {
		r.Comment += fmt.Sprintf(" Updating %s.", joined(changes))
	}
	if len(same) > 0 {
		r.Comment += fmt.Sprintf(" No changes made to %s.", strings.Join(same, ", "))
	}
}

// changed reports whether a state of a minion changed something.
func changed(v any) (yes bool) {
	m, _ := v.(*value.Map)
	m.Range(func(_, s any) bool {
		if one, ok := s.(*value.Map); ok {
			c, _ := one.Get("changes")
			yes = pyfmt.Truth(c)
		}
		return !yes
	})
	return yes
}

func joined(m *value.Map) string {
	var out []string
	for _, k := range m.Keys() {
		out = append(out, pyfmt.Str(k))
	}
	return strings.Join(out, ", ")
}

func number(v any) (int, error) {
	n, ok := pyfmt.Number(v)
	if !ok || n != float64(int(n)) {
		return 0, fmt.Errorf("%s is not a whole number", pyfmt.Str(v))
	}
	return int(n), nil
}

// function implements salt.function.
func (f *funcs) function(ctx context.Context, c *states.Call) (*states.Result, error) {
	if no := refused(c, append(notServed, "fail_function")...); no != "" {
		return failed(c, no), nil
	}
	r := &states.Result{Name: c.Name(), Result: true}
	q := runners.Question{Fun: c.Name(), Kwargs: value.NewMap()}
	switch v := c.Value("arg").(type) {
	case nil:
	case string:
		r.Warnings = append(r.Warnings, "Please specify 'arg' as a list of arguments.")
		for w := range strings.FieldsSeq(v) {
			q.Args = append(q.Args, w)
		}
	case []any:
		q.Args = v
	default:
		return failed(c, fmt.Sprintf("arg=%s is not a list of arguments", pyfmt.Str(v))), nil
	}
	if v := c.Value("kwarg"); v != nil {
		m, ok := v.(*value.Map)
		if !ok {
			return failed(c, fmt.Sprintf("kwarg=%s is not a mapping of arguments", pyfmt.Str(v))), nil
		}
		q.Kwargs = m.Clone()
	}
	if f.test(c) {
		r.Result, r.Comment = nil, fmt.Sprintf("Function %s would be executed on target %s", c.Name(), pyfmt.Str(c.Value("tgt")))
		return r, nil
	}
	may := mayFail(c, r)
	got, jid, err := f.ask(ctx, c, "function", q)
	if err != nil {
		return failed(c, err.Error()), nil
	}
	r.Extra = extra(jid)
	if len(got) == 0 {
		r.Result, r.Comment = false, "No minions responded"
		return r, nil
	}
	changes := value.NewMap()
	var bad []string
	for _, m := range got {
		// As in Salt, an exit code counts even for minions that may fail.
		if coded := !m.absent && !m.ok; coded || (m.absent || m.value == false) && !slices.Contains(may, m.id) {
			bad = append(bad, m.id)
		}
		changes.Set(m.id, m.value)
	}
	r.Changes = value.NewMap("ret", changes)
	r.Comment = "Function ran successfully."
	if len(bad) > 0 {
		r.Result, r.Comment = false, fmt.Sprintf("Running function %s failed on minions: %s", c.Name(), strings.Join(bad, ", "))
	}
	r.Comment += fmt.Sprintf(" Function %s ran on %s.", c.Name(), joined(changes))
	return r, nil
}
