package report

import (
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/value"
)

// Close ends the report with the job's account and returns the exit code.
func (r *Report) Close(a *client.Account) (int, error) {
	r.absent(a.Missing)
	for _, id := range r.Cut() {
		r.show(r.cut[id])
	}
	if r.o.Progress != nil {
		r.o.Progress.Update(client.Update{Complete: a})
		if err := r.o.Progress.Close(); err != nil && r.err == nil {
			r.err = err
		}
	}
	nodes := r.nodes(a)
	if a.Expected == 0 && len(r.returned)+len(r.missing) == 0 {
		r.blame(a, nodes)
		//mutant:empty-job-names-no-nodes
		if r.asked+len(a.Nodes) == 0 {
			return r.NoMatch("No minions matched the target. Job " + a.JID + " had no minion to run on.")
		}
		return r.NoMatch("No minions matched the target. Job " + a.JID + " was sent to the nodes below.")
	}
	switch {
	case r.o.Docs:
		var maps []*value.Map
		for _, id := range sorted(r.returned) {
			if m, ok := valueOf(r.returned[id]).(*value.Map); ok {
				maps = append(maps, m)
			}
		}
		if err := Docs(r.o.Results, maps, r.o.Outputter, r.o.Output); err != nil && r.err == nil {
			r.err = err
		}
	case r.o.Static:
		r.document()
	}
	if r.o.Summary && !r.o.Docs {
		r.summary(nodes)
	}
	return r.judge(a, nodes), r.err
}

// NoMatch ends the report of a job without minions.
func (r *Report) NoMatch(text string) (int, error) {
	r.printf(r.o.Notes, "%s\n", text)
	if r.o.Static || r.o.Outputter == "json" {
		r.render(r.o.Outputter, value.NewMap(), r.o.Output)
	}
	r.printf(r.o.Errors, "ERROR: No return received\n")
	return NoReturn, r.err
}

// nodes lists the nodes below that were asked and did not answer, unless every minion that the target
// names is accounted for otherwise.
func (r *Report) nodes(a *client.Account) []string {
	all := r.o.Exact != nil
	for _, id := range r.o.Exact {
		if _, ok := r.returned[id]; !ok {
			all = false
		}
	}
	var out []string
	for _, path := range sorted(a.Nodes) {
		if state := a.Nodes[path]; !all && (state == "unreachable" || state == "silent" || state == "asked") && !r.queuedBehind(path) {
			out = append(out, path)
		}
	}
	return out
}

// queuedBehind reports whether the job is queued for all known minions behind a node, and there is at
// least one: the node gets the job when it is back.
func (r *Report) queuedBehind(path string) bool {
	some := false
	for _, m := range r.missing {
		if m.Path != path && !strings.HasPrefix(m.Path, path+"/") {
			continue
		}
		if m.Reason != queued {
			return false
		}
		some = true
	}
	return some
}

// document prints a static report.
func (r *Report) document() {
	all := value.NewMap()
	name := r.o.Outputter
	for _, id := range sorted(r.returned) {
		ret := r.returned[id]
		all.Set(id, valueOf(ret))
		if r.o.Outputter == "" && strings.HasPrefix(ret.Fun, "state.") {
			name = "highstate"
		}
	}
	r.render(name, all, r.o.Output)
}

func (r *Report) summary(nodes []string) {
	line := strings.Repeat("-", 43)
	hidden := 0
	if r.o.HideTimeout {
		hidden = len(r.missing)
	}
	r.printf(r.o.Notes, "\n\n%s\nSummary\n%s\n", line, line)
	r.printf(r.o.Notes, "# of minions targeted: %d\n", len(r.returned)+len(r.missing)-hidden)
	r.printf(r.o.Notes, "# of minions returned: %d\n", len(r.returned))
	r.printf(r.o.Notes, "# of minions that did not return: %d\n", len(r.missing)-hidden)
	r.printf(r.o.Notes, "# of minions with errors: %d\n", len(r.failed))
	if len(nodes) > 0 {
		r.printf(r.o.Notes, "# of nodes that did not answer: %d\n", len(nodes))
	}
	if r.o.Verbose {
		var away, silent []string
		for _, id := range sorted(r.missing) {
			if r.missing[id].Reason == "Not connected" || r.missing[id].Reason == "Node not connected" {
				away = append(away, id)
			} else {
				silent = append(silent, id)
			}
		}
		r.names("Minions not connected", away, hidden > 0)
		r.names("Minions not responding", silent, hidden > 0)
		r.names("Minions with failures", sorted(r.failed), false)
	}
	r.printf(r.o.Notes, "%s\n", line)
}

func (r *Report) names(title string, ids []string, hide bool) {
	if len(ids) > 0 && !hide {
		r.printf(r.o.Notes, "%s: %s\n", title, strings.Join(ids, " "))
	}
}

// judge reports what went wrong and returns the exit code.
func (r *Report) judge(a *client.Account, nodes []string) int {
	if r.late() && !r.o.HideTimeout {
		for _, id := range sorted(r.missing) {
			if r.unnamed[id] {
				continue
			}
			r.printf(r.o.Errors, "%s: %s\n", terminal.Line(id), missingLine(r.missing[id]))
		}
	}
	r.advise()
	r.count(a)
	r.blame(a, nodes)
	for _, id := range r.Cut() {
		r.printf(r.o.Errors, "ERROR: The result of %s is larger than max_event_size and was cut; look it up: salt-run jobs.lookup_jid %s\n", id, r.jid)
	}
	shown := len(r.returned) > 0 || (len(r.missing)+max(0, a.Unnamed()) > 0 && !r.o.Static && !r.o.HideTimeout)
	switch {
	case !shown:
		r.printf(r.o.Errors, "ERROR: No return received\n")
		return NoReturn
	case len(r.failed) > 0 || (len(r.missing)+max(0, a.Unnamed()) > r.queuedCount() && !r.o.HideTimeout):
		if !r.o.Batch || len(r.missing) > 0 {
			r.printf(r.o.Errors, "ERROR: Minions returned with non-zero exit code\n")
		}
		return Failed
	case len(nodes) > 0 || len(r.cut) > 0 || len(r.unsaved) > 0:
		return Failed
	}
	return OK
}

func (r *Report) blame(a *client.Account, nodes []string) {
	for _, path := range nodes {
		r.printf(r.o.Errors, "ERROR: Node %s %s; minions behind it may be missing from this result\n", terminal.Line(path), nodeState(a.Nodes[path]))
	}
}

// nodeState describes why the minions behind a node are unknown.
func nodeState(state string) string {
	if reason, ok := strings.CutPrefix(state, "refused: "); ok {
		return "could not start the job: " + terminal.Line(reason)
	}
	return nodeText[state]
}

// queuedCount counts the minions that are missing only for now.
func (r *Report) queuedCount() (n int) {
	for _, m := range r.missing {
		if m.Reason == queued {
			n++
		}
	}
	return n
}

var nodeText = map[string]string{
	"unreachable": "is not connected",
	"silent":      "did not answer in time",
	"asked":       "has not answered yet",
}

// Preview shows the ids that a target probably matches.
func (r *Report) Preview(ids []string) error {
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	r.render(r.o.Outputter, list, r.o.Output)
	return r.err
}
