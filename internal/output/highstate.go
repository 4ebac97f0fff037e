package output

import (
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// States configures the output of state results, by Salt's options. The zero value is Salt's
// default.
type States struct {
	// Output is state_output, one of [StateOutputs]; "" means full. With the suffix _id, a
	// state's id replaces its name.
	Output string
	// Brief omits states that succeeded without a change (state_verbose: False).
	Brief bool
	// Diff does the same (state_output_diff, --output-diff).
	Diff bool
	// NoTimes omits start and duration of states (state_output_profile: False).
	NoTimes bool
	// Percent adds the percentages of successes and failures to the summary (state_output_pct).
	Percent bool
	// CompressIDs shows states of several names under one id with one result as one
	// (state_compress_ids).
	CompressIDs bool
	// Tabular is the form of a state in one line (state_tabular).
	Tabular Tabular
	// Exclude and Terse are, for filter, the results (True, False and None) whose states are
	// omitted or shown in one line (state_output_exclude, state_output_terse).
	Exclude, Terse []string
}

// StateOutputs are the values of States.Output.
var StateOutputs = []string{"full", "full_id", "terse", "terse_id", "mixed", "mixed_id", "changes", "changes_id", "filter", "filter_id"}

// highstate shows the results of states: {minion: {state: result}}, or the reasons why they did
// not run, {minion: [texts]}. Data that Salt does not show, or for which it fails, are shown
// by nested.
func highstate(v any, o Options) (string, error) { return statesOf(v, o, 1) }

// statesOf shows the results of several minions. level is their depth among results of an
// orchestration.
func statesOf(v any, o Options, level int) (string, error) {
	v, err := unwrapped(v)
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case nil:
		return "None", nil
	case string:
		return terminal.Text(v), nil
	}
	hosts, ok := pyfmt.Pairs(v)
	if !ok || len(hosts) == 0 {
		return "", errShape
	}
	if hosts, err = withoutRetcode(hosts); err != nil {
		return "", err
	}
	if o.States.CompressIDs {
		hosts = compressed(hosts)
	}
	texts := make([]string, len(hosts))
	for i, h := range hosts {
		if texts[i], _, err = statesOn(h, o, level); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, "\n"), nil
}

// unwrapped returns the results without the wrapping of runners.
func unwrapped(v any) (any, error) {
	for _, name := range []string{"return", "data"} {
		if ps, ok := pyfmt.Pairs(v); ok {
			if inner, ok := field(ps, name); ok {
				v = inner
			}
		}
	}
	ps, ok := pyfmt.Pairs(v)
	if !ok || len(ps) != 1 {
		return v, nil
	}
	job, _ := pyfmt.Pairs(ps[0].Val)
	_, jid := field(job, "jid")
	_, fun := field(job, "fun")
	if !jid || !fun {
		return v, nil
	}
	ret, ok := field(job, "return")
	if !ok {
		return v, nil
	}
	inner, ok := pyfmt.Pairs(ret)
	if !ok {
		return nil, errShape
	}
	if data, ok := field(inner, "data"); ok {
		return data, nil
	}
	return v, nil
}

// withoutRetcode removes the return code that an orchestration adds to the results of its
// master.
func withoutRetcode(hosts []pyfmt.Pair) ([]pyfmt.Pair, error) {
	masters, at := 0, -1
	for i, h := range hosts {
		name, ok := h.Key.(string)
		if !ok {
			return nil, errShape
		}
		if strings.HasSuffix(name, "_master") {
			masters++
		}
		if name == "retcode" {
			at = i
		}
	}
	if at >= 0 && masters == 1 {
		hosts = append(hosts[:at:at], hosts[at+1:]...)
	}
	return hosts, nil
}

// statesOn shows the return of one minion, and reports whether anything changed.
func statesOn(h pyfmt.Pair, o Options, level int) (string, bool, error) {
	w := &stateWriter{colors: o.colors(), o: o, level: level}
	name := terminal.Line(pyfmt.Str(h.Key))
	if err := w.host(name, h.Val); err != nil {
		return "", false, err
	}
	return strings.Join(append([]string{w.head + name + ":" + w.end}, w.out...), "\n"), w.changed > 0, nil
}

// host writes the return of one minion.
func (w *stateWriter) host(name string, v any) error {
	w.head = w.green
	if whole(v) {
		v = pyfmt.Str(v)
	}
	if text, ok := v.(string); ok { // of a function that is not a state function
		for _, l := range pyfmt.SplitLines(text, false) {
			w.put(w.head, "    "+terminal.Text(l))
		}
		w.head, w.changed = w.cyan, 1
		return nil
	}
	if errs, ok := wire.AsList(v); ok {
		w.head = w.lightRed
		w.out = append(w.out, "    "+w.head+"Data failed to compile:"+w.end)
		for _, e := range errs {
			w.put(w.head, "----------\n    "+terminal.Text(pyfmt.Str(e)))
		}
		return nil
	}
	entries, ok := pyfmt.Pairs(v)
	if !ok {
		return errShape
	}
	all, lost, err := readStates(entries)
	if err != nil {
		return err
	}
	if len(entries) > 0 && len(all)+len(lost) == 0 {
		return errShape // Salt shows nothing
	}
	w.out = append(w.out, lost...)
	for _, s := range all {
		if err := w.state(s); err != nil {
			return err
		}
	}
	w.summary(name)
	return nil
}

// Results reads the results that filter omits or shortens: a comma-separated string, or a list.
func Results(v any) []string {
	if text, ok := v.(string); ok {
		return strings.Split(text, ",")
	}
	list, _ := wire.AsList(v)
	var out []string
	for _, e := range list {
		out = append(out, pyfmt.Str(e))
	}
	return out
}

// Arguments reads from the arguments of a job what filter omits (exclude=) and shortens
// (terse=).
func (s *States) Arguments(args []any) {
	for _, a := range args {
		m, ok := a.(*wire.Map)
		if !ok || !m.Has("__kwarg__") {
			continue
		}
		if v, ok := m.Get("exclude"); ok {
			s.Exclude = Results(v)
		}
		if v, ok := m.Get("terse"); ok {
			s.Terse = Results(v)
		}
	}
}
