package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/salt/pyfmt"
)

// changesIndent is the indentation of changes, and of the further lines of a comment.
const changesIndent = 14

// stateWriter writes the return of one minion.
type stateWriter struct {
	colors
	o     Options
	level int
	out   []string
	head  string // the colour of the minion's name

	succeeded, unchanged, failed, odd, changed, warned int
	took, longest                                      float64
}

// put adds lines in a colour.
func (w *stateWriter) put(color, text string) { w.out = append(w.out, color+text+w.end) }

// state counts one result and shows it in full, in one line, or not at all.
func (w *stateWriter) state(s state) error {
	changed, text, err := w.changesOf(s)
	if err != nil {
		return err
	}
	if err := w.count(s, changed); err != nil {
		return err
	}
	good := pyfmt.Truth(s.result)
	if n, ok := s.result.(numeric); ok {
		good = n.as
	}
	if (w.o.States.Diff || w.o.States.Brief) && good && !changed {
		return nil
	}
	color := w.green
	if changed {
		color = w.cyan
	}
	switch s.result {
	case false:
		color, w.head = w.red, w.red
	case nil:
		color, w.head = w.lightYellow, w.lightYellow
	}
	form, byID := strings.CutSuffix(cmp.Or(w.o.States.Output, "full"), "_id")
	if byID {
		s.parts[2] = s.parts[1]
	}
	inLine := form == "terse" || form == "mixed" && s.result != false || form == "changes" && good && !changed
	if form == "filter" {
		inLine = slices.Contains(w.o.States.Terse, s.shown())
		if !inLine && slices.Contains(w.o.States.Exclude, s.shown()) {
			return nil
		}
	}
	if inLine {
		line, err := w.o.States.Tabular.line(w.colors, color, s, !w.o.States.NoTimes)
		if err != nil {
			return err
		}
		w.out = append(w.out, line)
		return nil
	}
	w.full(color, s, text)
	return nil
}

// shown returns the result as printed.
func (s *state) shown() string {
	if n, ok := s.result.(numeric); ok {
		return pyfmt.Str(n.shown)
	}
	return pyfmt.Str(s.result)
}

func (w *stateWriter) full(color string, s state, changes string) {
	w.put(color, "----------")
	field := func(label, text string) {
		w.out = append(w.out, "    "+color+fmt.Sprintf("%8s: %s", label, terminal.Text(text))+w.end)
	}
	field("ID", s.parts[1])
	field("Function", s.parts[0]+"."+s.parts[3])
	if s.parts[1] != s.parts[2] {
		field("Name", s.parts[2])
	}
	field("Result", s.shown())
	field("Comment", s.comment)
	if s.started != nil && !w.o.States.NoTimes {
		field("Started", pyfmt.Str(s.started))
		took := ""
		if s.took != nil && s.took != "" {
			took = pyfmt.Str(s.took) + " ms"
		}
		field("Duration", took)
	}
	w.put(color, "     Changes:   "+changes)
	if s.warned {
		w.warned++
		text := wrap(terminal.Text(strings.Join(s.warnings, "\n")), 80, strings.Repeat(" ", changesIndent))
		w.put("   "+w.lightRed, " Warnings: "+strings.TrimLeftFunc(text, pyfmt.IsSpace))
	}
}

// changesOf reports whether a state has changed something, and returns the text about that.
func (w *stateWriter) changesOf(s state) (changed bool, text string, err error) {
	name, _ := field(s.fields, "name")
	if name == "state.orch" || name == "state.orchestrate" || name == "state.sls" {
		inner, err := statesOf(s.changes, w.o, w.level+1)
		if err != nil {
			return false, "", err
		}
		return true, indented("\n"+inner, strings.Repeat(" ", changesIndent*w.level)), nil
	}
	if !pyfmt.Truth(s.changes) {
		return false, "", nil
	}
	ps, ok := pyfmt.Pairs(s.changes)
	if !ok {
		return true, "Invalid Changes data: " + terminal.Text(pyfmt.Str(s.changes)), nil
	}
	ret, given := field(ps, "ret")
	if out, _ := field(ps, "out"); !given || ret == nil || out != "highstate" {
		n := &nester{colors: w.colors}
		n.names, n.items = n.cyan, n.green
		n.display(s.changes, changesIndent, "")
		return true, "\n" + strings.TrimRightFunc(n.String(), pyfmt.IsSpace), nil
	}
	hosts, ok := pyfmt.Pairs(ret)
	if !ok {
		return false, "", errShape
	}
	var b strings.Builder
	for _, h := range hosts {
		inner, some, err := statesOn(h, w.o, 1)
		if err != nil {
			return false, "", err
		}
		changed = changed || some
		var out []string
		for _, l := range pyfmt.SplitLines(inner, false) {
			out = append(out, strings.Repeat(" ", changesIndent)+l)
		}
		b.WriteString("\n" + strings.Join(out, "\n"))
	}
	return changed, b.String(), nil
}

// indented adds blanks before each line, even empty ones.
func indented(text, blanks string) string {
	return blanks + strings.ReplaceAll(text, "\n", "\n"+blanks)
}

func (w *stateWriter) count(s state, changed bool) error {
	switch r := s.result.(type) {
	case bool:
		if r {
			w.succeeded += s.count
		} else {
			w.failed += s.count
		}
	case numeric:
		if r.as {
			w.succeeded += s.count
		} else {
			w.failed += s.count
		}
	case nil:
		w.unchanged += s.count
	case string, float64, int, int64, uint64:
		w.odd += s.count
	default:
		return errShape // Python cannot count it
	}
	if changed {
		n := 1
		if s.count > 1 {
			ps, ok := pyfmt.Pairs(s.changes)
			if !ok {
				return errShape
			}
			each, _ := field(ps, "compressed changes")
			if list, ok := pyfmt.Pairs(each); ok {
				n = max(len(list), 1)
			}
		}
		w.changed += n
	}
	if s.alone {
		w.took += s.took1
	} else {
		w.longest = max(w.longest, s.took1)
	}
	return nil
}
