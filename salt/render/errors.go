package render

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// Error is an error of rendering a file. Its text is Salt's, with the lines around the
// fault.
type Error struct {
	Text string
	// Line is the line of the fault in the file itself; 0 if it is unknown or in an
	// imported file.
	Line int
	// Lines are the lines around it, with the line marked; may be "".
	Lines string
	// Err is the underlying error of a function, a loader or a context; may be nil.
	Err error
}

// Error returns the text in Salt's form: "Jinja variable 'x' is undefined; line 3", an
// empty line, and the lines around.
func (e *Error) Error() string {
	if e.Line == 0 || e.Lines == "" {
		return e.Text
	}
	return fmt.Sprintf("%s; line %d\n\n%s", e.Text, e.Line, e.Lines)
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

const marker = "    <======================"

// around returns the lines around a line, which is marked.
func around(text string, line int) string {
	const reach = 5
	lines := pyfmt.SplitLines(text, false)
	if line > len(lines) || line < 1 {
		return text
	}
	from, to := max(0, line-reach-1), min(len(lines), line+reach)
	var out []string
	if from > 0 {
		out = append(out, "[...]")
	}
	for i := from; i < to; i++ {
		l := lines[i]
		if i == line-1 {
			l += marker
		}
		out = append(out, l)
	}
	if to < len(lines) {
		out = append(out, "[...]")
	}
	return "---\n" + strings.Join(out, "\n") + "\n---"
}

// fault converts an error of Jinja to Salt's form.
func (j *job) fault(err error, source string) error {
	var f *jinja.Error
	if !errors.As(err, &f) {
		return &Error{Text: "Jinja error: " + err.Error(), Err: err}
	}
	text := map[jinja.Kind]string{
		jinja.KindUndefined: "Jinja variable ", jinja.KindSyntax: "Jinja syntax error: ",
		jinja.KindFunction: "Problem running salt function in Jinja template: ",
	}[f.Kind]
	if text == "" {
		text = "Jinja error: "
	}
	out := &Error{Text: text + f.Text, Line: f.Line, Err: f.Err}
	if errors.Is(f.Err, context.DeadlineExceeded) || errors.Is(f.Err, context.Canceled) {
		out.Err = f.Err
	}
	if f.Name != "" && !(j.isSLS && j.t.SLS == "") && !j.own(f.Name) {
		// The fault is in an imported file: show the lines of that file.
		out.Line = 0
		out.Text += fmt.Sprintf("\n%s(%d):\n%s", f.Name, f.Line, around(f.Source, f.Line))
		return out
	}
	out.Lines = around(source, f.Line)
	return out
}

// own reports whether a file is the SLS itself, by Salt's heuristic.
func (j *job) own(file string) bool {
	return j.isSLS && strings.HasSuffix(file, strings.ReplaceAll(j.t.SLS, ".", "/"))
}
