package report_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/report"
)

const jid = "20240101000000000002"

const hint = "The minions may not have all finished running and any remaining minions will return upon completion. " +
	"To look up the return data for this job later, run the following command:"

// step is a return or a missing minion.
type step struct {
	id      string
	value   any
	retcode int
	out     string
	reason  string // not "": missing
	path    string
}

func update(t *testing.T, s step) client.Update {
	t.Helper()
	if s.reason != "" {
		return client.Update{Missing: map[string]client.Missing{s.id: {Reason: s.reason, Path: s.path}}}
	}
	raw, err := wire.Encode(s.value)
	if err != nil {
		t.Fatal(err)
	}
	return client.Update{Return: &client.Return{ID: s.id, Value: raw, Retcode: s.retcode, Out: s.out, Success: s.retcode == 0}}
}

func account(steps []step, nodes map[string]string) *client.Account {
	a := &client.Account{JID: jid, Expected: len(steps), Missing: map[string]client.Missing{}, Nodes: nodes}
	for _, s := range steps {
		switch {
		case s.reason != "":
			a.Missing[s.id] = client.Missing{Reason: s.reason, Path: s.path}
		case s.retcode != 0:
			a.Failed++
		default:
			a.Returned++
		}
	}
	return a
}

var (
	up   = []step{{id: "web-01", value: true}, {id: "db-01", value: true}}
	down = []step{{id: "web-01", value: true}, {id: "web-02", reason: "No response"}}
)

const silent = "Minion did not return. [No response]"

var many = []step{
	{id: "a", reason: "No response"},
	{id: "b", reason: "No response"},
	{id: "c", reason: "No response"},
	{id: "d", reason: "No response"},
	{id: "e", reason: "Not connected"},
	{id: "f", reason: "No response"},
}

const failed = "ERROR: Minions returned with non-zero exit code\n"

func TestReport(t *testing.T) {
	minus := -1
	for _, c := range []struct {
		name               string
		o                  report.Options
		steps              []step
		nodes              map[string]string
		results, notes, er string
		code               int
	}{
		{name: "plain", steps: up, results: "web-01:\n    True\ndb-01:\n    True\n"},
		{name: "json", o: report.Options{Outputter: "json"}, steps: up, results: "{\n    \"web-01\": true\n}\n{\n    \"db-01\": true\n}\n"},
		{
			name: "json in one line", o: report.Options{Outputter: "json", Output: output.Options{Indent: &minus}}, steps: up,
			results: "{\"web-01\": true}\n{\"db-01\": true}\n",
		},
		{
			name: "json static", o: report.Options{Outputter: "json", Static: true, ShowJID: true}, steps: up,
			results: "{\n    \"db-01\": true,\n    \"web-01\": true\n}\n", notes: "jid: " + jid + "\n",
		},
		{name: "yaml", o: report.Options{Outputter: "yaml"}, steps: up, results: "web-01: true\ndb-01: true\n"},
		{name: "txt", o: report.Options{Outputter: "txt"}, steps: up, results: "web-01: True\ndb-01: True\n"},
		{name: "raw", o: report.Options{Outputter: "raw"}, steps: up, results: "{'web-01': True}\n{'db-01': True}\n"},
		{name: "quiet", o: report.Options{Outputter: "quiet"}, steps: up},
		{
			name: "values only", o: report.Options{Outputter: "newline_values_only"}, steps: up, results: "True\nTrue\n",
		},
		{
			name: "verbose", o: report.Options{Verbose: true, ShowJID: true}, steps: up,
			results: "web-01:\n    True\ndb-01:\n    True\n",
			notes:   "Executing job with jid " + jid + "\n-------------------------------------------\n\n",
		},
		{
			name: "a failure", steps: []step{{id: "web-01", value: "bad", retcode: 3}},
			results: "web-01:\n    bad\n", er: failed, code: 1,
		},
		{
			name: "a failure in a static report", o: report.Options{Static: true}, steps: []step{{id: "web-01", value: "bad", retcode: 3}, {id: "a", value: 1}},
			results: "a:\n    1\nweb-01:\n    bad\n", er: failed, code: 1,
		},
		{
			name: "a failure in colours", o: report.Options{Output: output.Options{Color: true}}, steps: []step{{id: "web-01", value: "", retcode: 3}},
			results: "\x1b[0;31mweb-01\x1b[0;0m:\n", er: failed, code: 1,
		},
		{
			name: "the function asks for an outputter", steps: []step{{id: "web-01", value: "x", out: "txt"}, {id: "web-02", value: "y", out: "of our own"}},
			results: "web-01: x\nweb-02:\n    y\n",
		},
		{
			name: "no response", steps: down,
			results: "web-01:\n    True\nweb-02:\n    Minion did not return. [No response]\n    " + hint + "\n    \n    salt-run jobs.lookup_jid " + jid + "\n",
			er:      failed, code: 1,
		},
		{
			name: "no response in colours", o: report.Options{Output: output.Options{Color: true}}, steps: down[1:],
			results: "\x1b[0;36mweb-02\x1b[0;0m:\n\x1b[0;31m    Minion did not return. [No response]\x1b[0;0m\n\x1b[0;31m    " + hint +
				"\x1b[0;0m\n\x1b[0;31m    \x1b[0;0m\n\x1b[0;31m    salt-run jobs.lookup_jid " + jid + "\x1b[0;0m\n",
			er: failed, code: 1,
		},
		{
			name: "no response as json", o: report.Options{Outputter: "json"}, steps: down,
			results: "{\n    \"web-01\": true\n}\n{\n    \"web-02\": \"Minion did not return. [No response]\\n" + hint +
				"\\n\\nsalt-run jobs.lookup_jid " + jid + "\"\n}\n",
			er: failed, code: 1,
		},
		{
			name: "no response as txt", o: report.Options{Outputter: "txt"}, steps: down,
			results: "web-01: True\nweb-02: Minion did not return. [No response]\nweb-02: " + hint + "\nweb-02: \nweb-02: salt-run jobs.lookup_jid " + jid + "\n",
			er:      failed, code: 1,
		},
		{
			// As Salt's up to three; then one for all of the rest, and none for who cannot return any more.
			name: "many without response", o: report.Options{Outputter: "txt"}, steps: many,
			results: "a: " + silent + "\na: " + hint + "\na: \na: salt-run jobs.lookup_jid " + jid + "\n" +
				"b: " + silent + "\nb: " + hint + "\nb: \nb: salt-run jobs.lookup_jid " + jid + "\n" +
				"c: " + silent + "\nc: " + hint + "\nc: \nc: salt-run jobs.lookup_jid " + jid + "\n" +
				"d: " + silent + "\ne: Minion did not return. [Not connected]\nf: " + silent + "\n",
			er: "2 more did not return. " + hint + "\n\nsalt-run jobs.lookup_jid " + jid + "\n" + failed, code: 1,
		},
		{
			name: "not connected deep below", steps: []step{{id: "db-02", reason: "Not connected", path: "syndic-a/syndic-c"}},
			results: "db-02:\n    Minion did not return. [Not connected] (behind syndic-a/syndic-c)\n", er: failed, code: 1,
		},
		{
			name: "behind a node that does not answer", o: report.Options{Outputter: "txt"}, steps: []step{{id: "db-02", reason: "Node did not answer", path: "a"}},
			results: "db-02: Minion did not return. [Node did not answer] (behind a)\ndb-02: " + hint + "\ndb-02: \ndb-02: salt-run jobs.lookup_jid " + jid + "\n",
			er:      failed, code: 1,
		},
		{
			name: "back again", steps: []step{{id: "web-01", reason: "Not connected"}, {id: "web-01", value: true}},
			results: "web-01:\n    Minion did not return. [Not connected]\nweb-01:\n    True\n",
		},
		{
			name: "static, one down", o: report.Options{Static: true, Outputter: "json"}, steps: down,
			results: "{\n    \"web-01\": true\n}\n", er: "web-02: Minion did not return. [No response]\n" + failed, code: 1,
		},
		{
			name: "static, all down", o: report.Options{Static: true, Outputter: "json"}, steps: down[1:],
			results: "{}\n", er: "web-02: Minion did not return. [No response]\nERROR: No return received\n", code: 2,
		},
		{name: "hidden", o: report.Options{HideTimeout: true}, steps: down, results: "web-01:\n    True\n"},
		{name: "all hidden", o: report.Options{HideTimeout: true}, steps: down[1:], er: "ERROR: No return received\n", code: 2},
		{
			name: "summary", o: report.Options{Summary: true, Outputter: "quiet"}, steps: append([]step{{id: "f", value: 1, retcode: 1}}, down...),
			notes: "\n\n-------------------------------------------\nSummary\n-------------------------------------------\n# of minions targeted: 3\n" +
				"# of minions returned: 2\n# of minions that did not return: 1\n# of minions with errors: 1\n-------------------------------------------\n",
			er: failed, code: 1,
		},
		{
			name: "long summary", o: report.Options{Summary: true, Verbose: true, Outputter: "quiet"},
			steps: append([]step{{id: "f", value: 1, retcode: 1}, {id: "gone", reason: "Not connected"}}, down...), nodes: map[string]string{"s": "silent"},
			notes: "Executing job with jid " + jid + "\n-------------------------------------------\n\n" +
				"\n\n-------------------------------------------\nSummary\n-------------------------------------------\n# of minions targeted: 4\n" +
				"# of minions returned: 2\n# of minions that did not return: 2\n# of minions with errors: 1\n# of nodes that did not answer: 1\n" +
				"Minions not connected: gone\nMinions not responding: web-02\nMinions with failures: f\n-------------------------------------------\n",
			er:   "ERROR: Node s did not answer in time; minions behind it may be missing from this result\n" + failed,
			code: 1,
		},
		{
			name: "summary without the hidden", o: report.Options{Summary: true, HideTimeout: true, Verbose: true, Outputter: "quiet"}, steps: down,
			notes: "Executing job with jid " + jid + "\n-------------------------------------------\n\n" +
				"\n\n-------------------------------------------\nSummary\n-------------------------------------------\n# of minions targeted: 1\n" +
				"# of minions returned: 1\n# of minions that did not return: 0\n# of minions with errors: 0\n-------------------------------------------\n",
		},
		{
			name: "a node is down", steps: up, nodes: map[string]string{"a": "answered", "b": "unreachable", "p": "plain"},
			results: "web-01:\n    True\ndb-01:\n    True\n",
			er:      "ERROR: Node b is not connected; minions behind it may be missing from this result\n", code: 1,
		},
		{
			name: "a node is down, and the job is queued for all behind it", steps: append(slices.Clone(up), step{id: "q", reason: "Queued", path: "b/c"}), nodes: map[string]string{"a": "answered", "b": "silent"},
			results: "web-01:\n    True\ndb-01:\n    True\nq:\n    Minion is not connected. [Queued: it gets the job when it is back] (behind b/c)\n    It returns later: see salt-run jobs.lookup_jid " + jid + "\n",
		},
		{
			name: "a node is down, and the job is queued for some behind it", o: report.Options{Outputter: "quiet"},
			steps: append(slices.Clone(up), step{id: "q", reason: "Queued", path: "b"}, step{id: "r", reason: "Node did not answer", path: "b"}), nodes: map[string]string{"b": "silent"},
			er: "ERROR: Node b did not answer in time; minions behind it may be missing from this result\n" + failed, code: 1,
		},
		{
			name: "a node is down that is not needed", o: report.Options{Exact: []string{"web-01", "db-01"}}, steps: up, nodes: map[string]string{"b": "unreachable"},
			results: "web-01:\n    True\ndb-01:\n    True\n",
		},
		{
			name: "a node is down that may be needed", o: report.Options{Exact: []string{"web-01", "cache-01"}}, steps: up, nodes: map[string]string{"b": "unreachable"},
			results: "web-01:\n    True\ndb-01:\n    True\n",
			er:      "ERROR: Node b is not connected; minions behind it may be missing from this result\n", code: 1,
		},
		{
			name: "nobody in the tree", nodes: map[string]string{"a": "answered"},
			notes: "No minions matched the target. Job " + jid + " was sent to the nodes below.\n", er: "ERROR: No return received\n", code: 2,
		},
		{
			name:  "nobody, and no node below",
			notes: "No minions matched the target. Job " + jid + " had no minion to run on.\n", er: "ERROR: No return received\n", code: 2,
		},
		{
			name: "nobody, and a node down", o: report.Options{Outputter: "json"}, nodes: map[string]string{"a": "unreachable"}, results: "{}\n",
			notes: "No minions matched the target. Job " + jid + " was sent to the nodes below.\n",
			er:    "ERROR: Node a is not connected; minions behind it may be missing from this result\nERROR: No return received\n", code: 2,
		},
		{
			name: "docs", o: report.Options{Docs: true}, steps: []step{
				{id: "a", value: wire.NewMap("test.ping", "Is it up?", "test.b", nil)},
				{id: "b", value: wire.NewMap("test.ping", "other", "test.a", "A")},
				{id: "c", value: "an error", retcode: 1},
			},
			results: "test.a:\nA\n\ntest.ping:\nIs it up?\n\n", er: failed, code: 1,
		},
		{
			name: "docs as json", o: report.Options{Docs: true, Outputter: "json"}, steps: []step{{id: "a", value: wire.NewMap("b", "B", "a", "A")}},
			results: "{\n    \"a\": \"A\",\n    \"b\": \"B\"\n}\n",
		},
		{
			name: "cut and not to be had", steps: []step{{id: "web-01", value: "VALUE_TRIMMED"}},
			results: "web-01:\n    VALUE_TRIMMED\n",
			er:      "ERROR: The result of web-01 is larger than max_event_size and was cut; look it up: salt-run jobs.lookup_jid " + jid + "\n", code: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var results, notes, errs strings.Builder
			c.o.Results, c.o.Notes, c.o.Errors = &results, &notes, &errs
			r := report.New(c.o)
			r.Started(jid)
			for _, s := range c.steps {
				if err := r.Update(update(t, s)); err != nil {
					t.Fatal(err)
				}
			}
			last := map[string]step{}
			for _, s := range c.steps {
				last[s.id] = s
			}
			var end []step
			for _, s := range last {
				end = append(end, s)
			}
			code, err := r.Close(account(end, c.nodes))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []struct{ what, want, got string }{
				{"results", c.results, results.String()},
				{"notes", c.notes, notes.String()},
				{"errors", c.er, errs.String()},
			} {
				if diff := cmp.Diff(d.want, d.got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", d.what, diff)
				}
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}

// TestLateAbsence: who is named in the account alone is shown at the end.
func TestLateAbsence(t *testing.T) {
	var w strings.Builder
	r := report.New(report.Options{Results: &w, Notes: &w, Errors: &w})
	r.Started(jid)
	code, err := r.Close(account([]step{{id: "x", reason: "Not connected"}}, nil))
	if want := "x:\n    Minion did not return. [Not connected]\n" + failed; err != nil || code != 1 || w.String() != want {
		t.Errorf("%d, %v, %q", code, err, w.String())
	}
}

func TestWhole(t *testing.T) {
	var w strings.Builder
	r := report.New(report.Options{Results: &w, Notes: &w, Errors: &w})
	r.Started(jid)
	steps := []step{{id: "a", value: "VALUE_TRIMMED", retcode: 2}, {id: "b", value: 1}}
	for _, s := range steps {
		if err := r.Update(update(t, s)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"a"}, r.Cut()); d != "" {
		t.Error(d)
	}
	raw, err := wire.Encode("all of it")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "nobody"} {
		if err := r.Whole(id, raw); err != nil {
			t.Fatal(err)
		}
	}
	code, err := r.Close(account(steps, nil))
	if want := "b:\n    1\na:\n    all of it\n" + failed; err != nil || code != 1 || w.String() != want {
		t.Errorf("%d, %v, %q", code, err, w.String())
	}
}

func TestInterrupted(t *testing.T) {
	want := "\nExiting gracefully on Ctrl-c\nThis job's jid is: " + jid + "\n" + hint + "\n\nsalt-run jobs.lookup_jid " + jid
	if d := cmp.Diff(want, report.Interrupted("Ctrl-c", jid)); d != "" {
		t.Error(d)
	}
	if got := report.Interrupted("SIGTERM", ""); got != "\nExiting gracefully on SIGTERM" {
		t.Errorf("%q", got)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestBrokenOutput(t *testing.T) {
	var w strings.Builder
	r := report.New(report.Options{Results: full{}, Notes: &w, Errors: &w})
	if err := r.Update(update(t, up[0])); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Close(account(up, nil)); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
