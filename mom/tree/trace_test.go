package tree

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
)

// A job two tiers down is traced while it runs and afterwards: the exit code says
// whether it is over, the text where it is.
func TestTrace(t *testing.T) {
	tr := momtest.Shared(t)
	file := filepath.Join(t.TempDir(), "go on")
	started := tr.Run(salt.Command(), "top", "db-01", "cmd.run", "until [ -e '"+file+"' ]; do sleep 0.1; done", "--async")
	jid := momtest.JID.FindString(started.Out)
	if jid == "" {
		t.Fatal(started)
	}
	open := momtest.Until(t, func() momtest.Ran { return tr.Run(TraceCommand(), "top", jid) },
		func(r momtest.Ran) bool { return strings.Contains(r.Out, "db-01") })
	if open.Code != 2 || !strings.Contains(open.Out, "syndic-c") || open.Err != "" {
		t.Errorf("an open job: %v", open)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := momtest.Until(t, func() momtest.Ran { return tr.Run(TraceCommand(), "top", jid, "--out", "json") },
		func(r momtest.Ran) bool { return r.Code != 2 })
	var step struct {
		Node, State        string
		Expected, Returned int
	}
	if err := json.Unmarshal([]byte(closed.Out), &step); err != nil || closed.Code != 0 || step.State != "closed" || step.Expected != 1 || step.Returned != 1 {
		t.Errorf("a closed job: %v, %v", err, closed)
	}
	if got := tr.Run(TraceCommand(), "top", "20240101000000000004"); got.Code != 1 || !strings.Contains(got.Err, "20240101000000000004") {
		t.Errorf("an unknown job: %v", got)
	}
}

func TestTraceRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"mom trace needs one job id\n":                    nil,
		"--out \"xml\": text and json are known\n":        {"20240101000000000004", "--out", "xml"},
		"Usage: trace [options] JID\n\ntrace: error: no ": {"--nosuch"},
	} {
		if got := momtest.Run(TraceCommand(), "", args...); got.Code != 64 || !strings.HasPrefix(got.Err, want) {
			t.Errorf("%q: %v", args, got)
		}
	}
}
