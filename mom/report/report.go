package report

import (
	"cmp"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/value"
)

// Exit codes, as in Salt.
const (
	OK       = 0
	Failed   = 1 // a minion failed or did not return, or a node did not answer
	NoReturn = 2 // nothing matched, or no minion returned
)

// Options configure how a job is shown.
type Options struct {
	Results io.Writer // results
	Notes   io.Writer // headers and summary
	IDs     io.Writer // the job id; nil: Notes
	Errors  io.Writer // errors

	Outputter string // "": nested, or the outputter of the function
	Output    output.Options

	Static      bool // all results together at the end
	HideTimeout bool // do not show minions that did not return
	Verbose     bool
	ShowJID     bool
	Summary     bool
	Docs        bool // results are those of sys.doc: merge them
	// Batch says that results are those of batches: for programs they include retcode and jid, as in
	// Salt, and a return code other than 0 has no text of its own.
	Batch bool
	// Progress shows a progress bar in place of results; with Static the results follow at the
	// end.
	Progress *Progress
	// Exact lists the ids if the target names them one by one, otherwise nil: once all of them
	// have returned, nodes that did not answer do not matter.
	Exact []string
}

// Report shows one job. It is not safe for concurrent use.
type Report struct {
	o        Options
	jid      string
	returned map[string]client.Return
	failed   map[string]bool
	missing  map[string]client.Missing
	texts    map[string]string        // text shown of a missing minion
	advised  map[string]bool          // missing minions shown with the advice to look the job up
	unnamed  map[string]bool          // missing minions that are counted, not named
	cut      map[string]client.Return // results too large for the event bus, not shown yet
	unsaved  map[string]bool          // minions whose returners failed
	asked    int                      // number of nodes below that got the job
	err      error                    // the first failed write
}

// New makes a report.
func New(o Options) *Report {
	return &Report{
		o: o, returned: map[string]client.Return{}, failed: map[string]bool{},
		missing: map[string]client.Missing{}, texts: map[string]string{}, unnamed: map[string]bool{}, cut: map[string]client.Return{}, advised: map[string]bool{}, unsaved: map[string]bool{},
	}
}

func (r *Report) printf(w io.Writer, format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok { // ids, paths and reasons come from peers
			args[i] = terminal.Text(text)
		}
	}
	if _, err := fmt.Fprintf(w, format, args...); err != nil && r.err == nil {
		r.err = fmt.Errorf("write the results: %w", err)
	}
}

func (r *Report) render(name string, v any, o output.Options) {
	if err := output.Render(r.o.Results, name, v, o); err != nil && r.err == nil {
		r.err = err
	}
}

// Asked sets how many nodes below the job was sent to.
func (r *Report) Asked(nodes int) { r.asked = nodes }

// Job sets the job of later updates.
func (r *Report) Job(jid string) { r.jid = jid }

// Note prints a note beside the results.
func (r *Report) Note(format string, args ...any) { r.printf(r.o.Notes, format, args...) }

// Round prints the progress of a batch among the results, as in Salt.
func (r *Report) Round(format string, args ...any) { r.printf(r.o.Results, format, args...) }

// Started prints the job id if requested.
func (r *Report) Started(jid string) {
	r.jid = jid
	ids := cmp.Or(r.o.IDs, r.o.Notes)
	switch {
	case r.o.Verbose:
		text := "Executing job with jid " + jid
		r.printf(ids, "%s\n%s\n\n", text, strings.Repeat("-", len(text)))
	case r.o.ShowJID:
		r.printf(ids, "jid: %s\n", jid)
	}
}

// Update shows an update of the job. It returns the first error of the output.
func (r *Report) Update(u client.Update) error {
	if r.o.Progress != nil {
		r.o.Progress.Update(u)
	}
	switch {
	case u.Return != nil:
		r.result(*u.Return)
	case u.Missing != nil:
		r.absent(u.Missing)
	case u.Unsaved != nil:
		r.unsaved[u.Unsaved.ID] = true
		r.printf(r.o.Errors, "ERROR: %s: the result was not saved: %s\n", terminal.Line(u.Unsaved.ID), terminal.Line(u.Unsaved.Reason))
	}
	return r.err
}

func (r *Report) result(ret client.Return) {
	if ret.Trimmed() {
		r.cut[ret.ID] = ret
		return
	}
	r.show(ret)
}

// Cut returns the minions whose results did not fit the event bus. Pass their results to Whole before
// Close.
func (r *Report) Cut() []string { return sorted(r.cut) }

// Whole shows a result that was cut.
func (r *Report) Whole(id string, v client.Raw) error {
	if ret, ok := r.cut[id]; ok {
		delete(r.cut, id)
		ret.Value = v
		r.show(ret)
	}
	return r.err
}

func (r *Report) show(ret client.Return) {
	r.returned[ret.ID] = ret
	delete(r.missing, ret.ID)
	if ret.Retcode != 0 {
		r.failed[ret.ID] = true
	}
	if r.late() {
		return
	}
	o := r.o.Output
	o.Retcode = ret.Retcode
	name := r.o.Outputter
	//mutant:outputter-is-no-choice-of-minions
	if name == "" && output.Offered(ret.Out) {
		name = ret.Out
	}
	m := value.NewMap(ret.ID, valueOf(ret))
	if r.o.Batch && (name == "json" || name == "yaml") {
		m = value.NewMap("retcode", ret.Retcode, "jid", ret.JID, ret.ID, valueOf(ret))
	}
	r.render(name, m, o)
}

// late reports whether minions are not shown as they return.
func (r *Report) late() bool { return r.o.Static || r.o.Docs || r.o.Progress != nil }

func valueOf(ret client.Return) any {
	v, err := ret.Value.Decode()
	if err != nil {
		return fmt.Sprintf("the result cannot be read: %v", err)
	}
	return v
}

// absent shows minions that will not answer, once each.
func (r *Report) absent(missing map[string]client.Missing) {
	fresh := 0
	for id := range missing {
		_, back := r.returned[id]
		if _, shown := r.texts[id]; !back && !shown {
			fresh++
		}
	}
	few := len(r.texts)+fresh <= mostNamed
	for _, id := range sorted(missing) {
		if _, back := r.returned[id]; back {
			continue
		}
		m := missing[id]
		r.missing[id] = m
		if _, shown := r.texts[id]; !shown && !r.o.HideTimeout && (!few || r.unnamed[id]) {
			r.unnamed[id] = true
			continue
		}
		text := r.missingText(id, m)
		if r.o.HideTimeout || r.texts[id] == text {
			continue
		}
		r.texts[id] = text
		if r.late() {
			continue // shown at the end, beside the results
		}
		name := r.o.Outputter
		if name == "" || name == "nested" {
			name = "no_return"
		}
		r.render(name, value.NewMap(id, text), r.o.Output)
	}
}

// maxAdvised is how many missing minions are shown with the advice to look the job up, as Salt does
// for each. For the others the advice is given once, at the end.
const maxAdvised = 3

// missingText returns the text in place of the result of a minion that did not return.
func (r *Report) missingText(id string, m client.Missing) string {
	text, advice := missingLine(m), advice(m, r.jid)
	if advice == "" || !r.advised[id] && len(r.advised) == maxAdvised {
		return text
	}
	r.advised[id] = true
	return text + "\n" + advice
}

// advice returns how to look the job up, or "" if no return can arrive any more.
func advice(m client.Missing, jid string) string {
	switch m.Reason {
	case queued:
		return "It returns later: see salt-run jobs.lookup_jid " + jid
	case "No response", "Node not connected", "Node did not answer":
		return lookUp(jid)
	}
	return ""
}

// advise prints the advice once if minions were shown without it.
func (r *Report) advise() {
	if r.late() || r.o.HideTimeout {
		return
	}
	n := 0
	for id, m := range r.missing {
		if !r.advised[id] && !r.unnamed[id] && advice(m, r.jid) != "" {
			n++
		}
	}
	if n > 0 {
		r.printf(r.o.Errors, "%d more did not return. %s\n", n, lookUp(r.jid))
	}
}

// queued is the reason of a minion that gets the job when it is back.
const queued = "Queued"

func missingLine(m client.Missing) string {
	text := "Minion did not return. [" + m.Reason + "]"
	if m.Reason == queued {
		text = "Minion is not connected. [Queued: it gets the job when it is back]"
	}
	if m.Path != "" {
		text += " (behind " + m.Path + ")"
	}
	return text
}

func lookUp(jid string) string {
	return "The minions may not have all finished running and any remaining minions will return upon completion. " +
		"To look up the return data for this job later, run the following command:\n\nsalt-run jobs.lookup_jid " + jid
}

// Interrupted prints the text for a user who stops waiting.
func Interrupted(how, jid string) string {
	text := "\nExiting gracefully on " + how
	if jid != "" {
		text += "\nThis job's jid is: " + jid + "\n" + lookUp(jid)
	}
	return text
}

func sorted[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
