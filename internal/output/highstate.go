package output

import (
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// States says how results of states are shown, by Salt's options. The zero value is
// Salt's default.
type States struct {
	// Output is state_output, one of [StateOutputs]; "" is full. _id behind it shows the
	// id of a state in the place of its name.
	Output string
	// Brief leaves out states that succeeded without a change (state_verbose: False).
	Brief bool
	// Diff does the same (state_output_diff, --output-diff).
	Diff bool
	// NoTimes leaves out when states began and how long they took
	// (state_output_profile: False).
	NoTimes bool
	// Percent adds to the summary how many per cent succeeded and failed
	// (state_output_pct).
	Percent bool
	// CompressIDs shows states of several names under one id, with one result, as one
	// (state_compress_ids).
	CompressIDs bool
	// Tabular is how a state looks in one line (state_tabular).
	Tabular Tabular
	// Exclude and Terse are, for filter, the results, True, False and None, whose states
	// are left out and shown in one line (state_output_exclude, state_output_terse).
	Exclude, Terse []string
}

// StateOutputs are the values of [States].Output.
var StateOutputs = []string{"full", "full_id", "terse", "terse_id", "mixed", "mixed_id", "changes", "changes_id", "filter", "filter_id"}

// highstate shows the results of states: {minion: {state: result}}, or what kept them
// from being run, {minion: [texts]}. What Salt does not show, or fails at, goes to nested.
func highstate(v any, o Options) (string, error) { return statesOf(v, o, 1) }

// statesOf shows the results of several minions. level counts how deep they stand among
// results of an orchestration.
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

// unwrapped takes results out of what runners put around them.
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

// withoutRetcode leaves out the return code that an orchestration gives beside the
// results of its master.
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

// statesOn shows what one minion returned, and tells whether anything changed.
func statesOn(h pyfmt.Pair, o Options, level int) (string, bool, error) {
	w := &stateWriter{colors: o.colors(), o: o, level: level}
	name := terminal.Line(pyfmt.Str(h.Key))
	if err := w.host(name, h.Val); err != nil {
		return "", false, err
	}
	return strings.Join(append([]string{w.head + name + ":" + w.end}, w.out...), "\n"), w.changed > 0, nil
}

// host writes what one minion returned.
func (w *stateWriter) host(name string, v any) error {
	w.head = w.green
	if whole(v) {
		v = pyfmt.Str(v)
	}
	if text, ok := v.(string); ok { // of a function that is no state
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
		return errShape // Salt shows nothing of it
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

// Results reads results that filter is to leave out or to shorten: a text in which commas
// separate them, or a list.
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

// Arguments takes from the arguments of a job what filter is to leave out (exclude=) and
// to shorten (terse=).
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
