package report_test

import (
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/mom/report"
)

// A result that a returner did not save is shown, reported and makes the command fail.
func TestReport_Unsaved(t *testing.T) {
	var out, errs strings.Builder
	r := report.New(report.Options{Results: &out, Notes: &out, Errors: &errs, Output: output.Options{}})
	for _, u := range []client.Update{
		{Unsaved: &client.Unsaved{ID: "m1", Reason: "returner mysql: access denied\n\x1b[2J"}},
		update(t, step{id: "m1", value: true}),
	} {
		if err := r.Update(u); err != nil {
			t.Fatal(err)
		}
	}
	code, err := r.Close(&client.Account{JID: jid, Expected: 1, Returned: 1})
	if err != nil || code != report.Failed || !strings.Contains(out.String(), "True") ||
		!strings.HasPrefix(errs.String(), "ERROR: m1: the result was not saved: returner mysql: access denied") || strings.Contains(errs.String(), "\x1b") {
		t.Errorf("%d, %v\n%s\n%s", code, err, out.String(), errs.String())
	}
}
