package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/report"
)

// fleet are n minions that did not return.
func fleet(n int) map[string]client.Missing {
	out := make(map[string]client.Missing, n)
	for i := range n {
		m := client.Missing{Reason: "Not connected"}
		if i%10 == 0 {
			m.Reason = "No response"
		}
		out[fmt.Sprintf("m-%06d", i)] = m
	}
	return out
}

// As many missing minions as a person reads are named; more are counted by their reasons,
// with the command that lists them.
func TestReport_ManyMissing(t *testing.T) {
	for _, c := range []struct {
		missing, cut int
		static       bool
		named        int
		line         string
		hide         bool
	}{
		{missing: 1000, named: 1000},
		{missing: 1001, line: "1001 minions did not return [No response: 101; Not connected: 900]. For their names run: salt-run jobs.list_job 20260101000000000001\n"},
		{missing: 100_000, line: "100000 minions did not return [No response: 10000; Not connected: 90000]."},
		{missing: 100_000, static: true, line: "100000 minions did not return ["},
		{missing: 10, cut: 99_990, named: 10, line: "99990 more minions did not return [unknown, the list was larger than max_event_size: 99990]."},
		{missing: 100_000, hide: true},
	} {
		var out, errOut bytes.Buffer
		r := report.New(report.Options{Results: &out, Notes: &out, Errors: &errOut, Static: c.static, HideTimeout: c.hide})
		r.Started("20260101000000000001")
		code, err := r.Close(&client.Account{JID: "20260101000000000001", Expected: c.missing + c.cut, Missing: fleet(c.missing)})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: report.Failed, true: report.NoReturn}[c.hide || c.static]; code != want {
			t.Errorf("%d missing: exit %d, want %d", c.missing, code, want)
		}
		if n := strings.Count(out.String(), "Minion did not return."); n != c.named {
			t.Errorf("%d missing: %d are named, want %d", c.missing, n, c.named)
		}
		if n := strings.Count(errOut.String(), " minions did not return ["); c.line == "" && n > 0 || c.line != "" && (n != 1 || !strings.Contains(errOut.String(), c.line)) {
			t.Errorf("%d missing: %.400s", c.missing, errOut.String())
		}
		if c.line != "" && len(errOut.String()) > 2000 {
			t.Errorf("%d bytes of errors", errOut.Len())
		}
	}
}

// Reporting a fleet that is away takes a fraction of a second.
func BenchmarkReport_100kMissing(b *testing.B) {
	missing := fleet(100_000)
	for b.Loop() {
		var out bytes.Buffer
		r := report.New(report.Options{Results: &out, Notes: &out, Errors: &out})
		r.Started("20260101000000000001")
		if _, err := r.Close(&client.Account{Expected: len(missing), Missing: missing}); err != nil {
			b.Fatal(err)
		}
	}
}
