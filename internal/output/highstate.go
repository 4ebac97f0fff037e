package output

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/python"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
)

// States says how results of states are shown, by Salt's options.
type States struct {
	// Output is state_output: full (the default), terse, mixed or changes, each also
	// with _id behind it, which shows the id of a state in the place of its name.
	Output string
	// Brief leaves out states that succeeded without a change (state_verbose: False).
	Brief bool
	// Diff does the same, and is Salt's --output-diff.
	Diff bool
}

// StateOutputs are the values of [States].Output.
var StateOutputs = []string{"full", "full_id", "terse", "terse_id", "mixed", "mixed_id", "changes", "changes_id", "filter", "filter_id"}

// highstate shows the results of states: {minion: {state: result}}, or what kept them
// from being run, {minion: [texts]}. Other data go to nested.
func highstate(v any, o Options) (string, error) {
	hosts, ok := pairs(v)
	if !ok || len(hosts) == 0 {
		return "", errShape
	}
	var b strings.Builder
	for _, h := range hosts {
		w := &stateWriter{colors: theme(o.Color), o: o.States}
		if err := w.host(h.val); err != nil {
			return "", err
		}
		b.WriteString(w.head + terminal.Line(python.Str(h.key)) + ":" + w.end + "\n" + w.String())
		if w.states {
			b.WriteString(w.summary(terminal.Line(python.Str(h.key))))
		}
	}
	return b.String(), nil
}

// state is one result.
type state struct {
	fun, id, name string
	at            float64 // __run_num__
	result        any
	comment       string
	changes       any
	changed       bool
	started, took any
	alone         bool // not beside others (__parallel__)
	warnings      []string
}

// stateWriter writes what one minion returned.
type stateWriter struct {
	colors
	strings.Builder
	o      States
	head   string // the colour of the minion's name
	states bool

	succeeded, unchanged, changed, failed, odd, warned int
	took, longest                                      float64
}

// put writes one line in a colour.
func (w *stateWriter) put(color, text string) { w.WriteString(color + text + w.end + "\n") }

func (w *stateWriter) host(v any) error {
	if errs, ok := wire.AsList(v); ok {
		w.head = w.lightRed
		w.put("    "+w.head, "Data failed to compile:")
		for _, e := range errs {
			w.put(w.head, "----------\n    "+terminal.Text(python.Str(e)))
		}
		return nil
	}
	all, err := readStates(v)
	if err != nil {
		return err
	}
	w.head, w.states = w.green, true
	slices.SortStableFunc(all, func(a, b state) int { return cmp.Compare(a.at, b.at) })
	for _, s := range all {
		w.count(s)
		w.state(s)
	}
	return nil
}

// readStates reads {"module_|-id_|-name_|-function": {result, comment, …}}.
func readStates(v any) ([]state, error) {
	entries, ok := pairs(v)
	if !ok {
		return nil, errShape
	}
	out := make([]state, 0, len(entries))
	for _, e := range entries {
		m, ok := e.val.(*wire.Map)
		key, _ := e.key.(string)
		parts := strings.Split(key, "_|-")
		if !ok || len(parts) != 4 || !m.Has("result") {
			return nil, errShape
		}
		get := func(name string) any { f, _ := m.Get(name); return f }
		s := state{fun: parts[0] + "." + parts[3], id: parts[1], name: parts[2], result: get("result"), changes: get("changes"), alone: !m.Has("__parallel__")}
		s.at, _ = python.Number(get("__run_num__"))
		s.changed = filled(s.changes)
		s.comment = strings.TrimSpace(python.Str(get("comment")))
		if d := get("data"); filled(d) {
			s.comment += " " + python.Str(d)
		}
		s.started, s.took = get("start_time"), get("duration")
		s.warnings = wire.Texts(m.List("warnings"))
		out = append(out, s)
	}
	return out, nil
}

// filled is Python's truth of what may stand under changes.
func filled(v any) bool {
	if ps, ok := pairs(v); ok {
		return len(ps) > 0
	}
	if items, ok := wire.AsList(v); ok {
		return len(items) > 0
	}
	text, ok := v.(string)
	return ok && text != "" || !ok && v != nil && v != false
}

func (w *stateWriter) count(s state) {
	switch s.result {
	case true:
		w.succeeded++
	case nil:
		w.unchanged++
	case false:
		w.failed++
	default:
		w.odd++
	}
	if s.changed {
		w.changed++
	}
	took, _ := python.Number(s.took)
	if s.alone {
		w.took += took
	} else {
		w.longest = max(w.longest, took)
	}
	if len(s.warnings) > 0 {
		w.warned++
	}
}

// state writes one result, in full, in a line, or not at all.
func (w *stateWriter) state(s state) {
	if (w.o.Diff || w.o.Brief) && s.result == true && !s.changed {
		return
	}
	color := w.green
	if s.changed {
		color = w.cyan
	}
	switch s.result {
	case false:
		color, w.head = w.red, w.red
	case nil:
		color, w.head = w.lightYellow, w.lightYellow
	}
	form, byID := strings.CutSuffix(cmp.Or(w.o.Output, "full"), "_id")
	if byID {
		s.name = s.id
	}
	if form == "terse" || form == "mixed" && s.result != false || form == "changes" && s.result == true && !s.changed {
		w.terse(color, s)
		return
	}
	w.put(color, "----------")
	field := func(label, text string) {
		w.put("    "+color, fmt.Sprintf("%8s: %s", label, terminal.Text(text)))
	}
	field("ID", s.id)
	field("Function", s.fun)
	if s.name != s.id {
		field("Name", s.name)
	}
	field("Result", python.Str(s.result))
	field("Comment", strings.ReplaceAll(s.comment, "\n", "\n"+strings.Repeat(" ", changesIndent)))
	if s.started != nil {
		field("Started", python.Str(s.started))
		took := ""
		if s.took != nil {
			took = python.Str(s.took) + " ms"
		}
		field("Duration", took)
	}
	w.put(color, "     Changes:   "+w.nestedChanges(s))
	if len(s.warnings) > 0 {
		w.put("   "+w.lightRed, " Warnings: "+terminal.Text(fold(strings.Join(s.warnings, "\n"), 80-changesIndent)))
	}
}

// changesIndent is how far changes, and the further lines of a comment, stand in.
const changesIndent = 14

func (w *stateWriter) nestedChanges(s state) string {
	if !s.changed {
		return ""
	}
	n := &nester{colors: w.colors}
	n.names, n.items = n.cyan, n.green
	n.display(s.changes, changesIndent, "")
	return "\n" + strings.TrimSuffix(n.String(), "\n")
}

// fold breaks words into lines of a width, the further ones as far in as changes.
func fold(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case i == 0:
			column = n
		case column+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", changesIndent))
			column = n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

// terse is a state in one line.
func (w *stateWriter) terse(color string, s state) {
	result := "Clean"
	if s.changed {
		result = "Changed"
	}
	switch s.result {
	case false:
		result = "Failed"
	case nil:
		result = "Differs"
	}
	if len(s.warnings) > 0 {
		w.WriteString(w.lightRed + "Warnings:\n" + terminal.Text(strings.Join(s.warnings, "\n")) + w.end)
	}
	text := " Name: " + terminal.Text(s.name) + " - Function: " + terminal.Line(s.fun) + " - Result: " + result
	if s.started != nil {
		text += " - Started: " + terminal.Line(python.Str(s.started)) + " - Duration: " + terminal.Line(python.Str(s.took)) + " ms"
	}
	w.put(" "+color, text)
}

// summary counts and adds up.
func (w *stateWriter) summary(host string) string {
	rule := len("Succeeded: ")
	if most := max(w.succeeded, w.unchanged, w.failed, w.odd, w.warned); most > 0 {
		rule += len(strconv.Itoa(most))
	}
	counted := func(label string, n int) string { return fmt.Sprintf("%s: %*d", label, rule-len(label)-2, n) }
	w.Reset()
	w.put(w.cyan, "\nSummary for "+host+"\n"+strings.Repeat("-", rule))
	var more []string
	if w.unchanged > 0 {
		more = append(more, fmt.Sprintf("%sunchanged=%d%s", w.lightYellow, w.unchanged, w.end))
	}
	if w.changed > 0 {
		more = append(more, fmt.Sprintf("%schanged=%d%s", w.green, w.changed, w.end))
	}
	line := w.green + counted("Succeeded", w.succeeded+w.unchanged) + w.end
	if len(more) > 0 {
		line += " (" + strings.Join(more, ", ") + ")"
	}
	w.WriteString(line + "\n")
	color := w.cyan
	if w.failed > 0 {
		color = w.red
	}
	w.put(color, counted("Failed", w.failed))
	if w.warned > 0 {
		w.put(w.lightRed, counted("Warnings", w.warned))
	}
	w.put(w.cyan, fmt.Sprintf("%s\nTotal states run: %*d", strings.Repeat("-", rule), rule-7, w.succeeded+w.unchanged+w.failed+w.odd))
	took, unit := w.took+w.longest, "ms"
	if took > 999 {
		took, unit = took/1000, "s"
	}
	w.put(w.cyan, fmt.Sprintf("Total run time: %*.3f %s", rule-5, took, unit))
	return w.String()
}
