package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/mom/report"
)

// TestReport_HostileMinion: one minion and one node choose every text that a command
// shows: ids, values, keys, the outputter, documentation, reasons, paths. Nothing of it
// steers the terminal of who reads the report, and the result is shown.
func TestReport_HostileMinion(t *testing.T) {
	const bad = "\x1b]0;PWNED\x07\u009b2J\b\b\r"
	value, err := wire.Encode(wire.NewMap("sys.doc"+bad, "text"+bad, bad, []any{bad}))
	if err != nil {
		t.Fatal(err)
	}
	for _, chosen := range append(output.Names(), "") {
		for name, o := range map[string]report.Options{
			"plain": {}, "static": {Static: true}, "verbose summary": {Verbose: true, Summary: true}, "docs": {Docs: true}, "docs as txt": {Docs: true, Outputter: "txt"},
			"txt": {Outputter: "txt"}, "json": {Outputter: "json"}, "yaml": {Outputter: "yaml"}, "raw": {Outputter: "raw"}, "values": {Outputter: "newline_values_only"},
		} {
			var out, notes, errs bytes.Buffer
			o.Results, o.Notes, o.Errors = &out, &notes, &errs
			r := report.New(o)
			r.Started(jid)
			for _, u := range []client.Update{
				{Return: &client.Return{ID: "web-01", Out: chosen, Value: value}},
				{Return: &client.Return{ID: "web" + bad, Out: chosen, Value: value, Retcode: 1}},
				{Missing: map[string]client.Missing{"db" + bad: {Reason: "Not connected" + bad, Path: "n1/" + bad}}},
			} {
				if err := r.Update(u); err != nil {
					t.Fatal(err)
				}
			}
			a := &client.Account{JID: jid, Expected: 3, Nodes: map[string]string{"n1/" + bad: "silent"}, Missing: map[string]client.Missing{"gone" + bad: {Reason: "No response", Path: bad}}}
			if _, err := r.Close(a); err != nil {
				t.Fatal(err)
			}
			for what, b := range map[string]*bytes.Buffer{"results": &out, "notes": &notes, "errors": &errs} {
				if text := b.String(); strings.ContainsFunc(text, terminal.Obeyed) {
					t.Errorf("%s, the minion chose %q: %s: %q", name, chosen, what, text)
				}
			}
			if o.Outputter != "quiet" && !strings.Contains(out.String(), "sys.doc") {
				t.Errorf("%s, the minion chose %q: its result is hidden: %q", name, chosen, out.String())
			}
			if name == "plain" && !strings.Contains(out.String(), "web-01") {
				t.Errorf("the minion chose %q: the report does not say whose result it is: %q", chosen, out.String())
			}
		}
	}
}
