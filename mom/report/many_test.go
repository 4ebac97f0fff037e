package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/report"
)

// fleet returns n minions that did not return.
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

// Missing minions are named up to a limit; more are counted by reason, with the command that lists
// them.
func TestReport_ManyMissing(t *testing.T) {
	for _, c := range []struct {
		missing, cut int
		static       bool
		named        int
		line         string
		hide         bool
		reasons      map[string]int // as the master counts them
	}{
		{missing: 1000, named: 1000},
		{missing: 1001, line: "1001 minions did not return [No response: 101; Not connected: 900]. For their names run: salt-run jobs.list_job 20260101000000000001\n"},
		{missing: 100_000, line: "100000 minions did not return [No response: 10000; Not connected: 90000]."},
		{missing: 100_000, static: true, line: "100000 minions did not return ["},
		{missing: 10, cut: 99_990, named: 10, line: "99990 more minions did not return [unknown, the list was larger than max_event_size: 99990]."},
		{
			missing: 10, cut: 99_990, named: 10, reasons: map[string]int{"No response": 10_000, "Not connected": 90_000},
			line: "99990 more minions did not return [No response: 9999; Not connected: 89991].",
		},
		{ // a master without counts
			missing: 10, cut: 99_990, named: 10, reasons: map[string]int{"No response": 10_000, "Not connected": 90_001},
			line: "99990 more minions did not return [unknown, the list was larger than max_event_size: 99990].",
		},
		{missing: 100_000, hide: true},
	} {
		var out, errOut bytes.Buffer
		r := report.New(report.Options{Results: &out, Notes: &out, Errors: &errOut, Static: c.static, HideTimeout: c.hide})
		r.Started("20260101000000000001")
		code, err := r.Close(&client.Account{JID: "20260101000000000001", Expected: c.missing + c.cut, Missing: fleet(c.missing), Reasons: c.reasons})
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

// The names are requested if they are shown, or if minions differ in more than their reasons.
func TestReport_Counts(t *testing.T) {
	many := map[string]int{"Not connected": 1001}
	for _, c := range []struct {
		name    string
		o       report.Options
		missing int
		reasons map[string]int
		want    bool
	}{
		{"more than a person reads", report.Options{}, 1001, many, true},
		{"few", report.Options{}, 1000, map[string]int{"Not connected": 1000}, false},
		{"a summary names them", report.Options{Summary: true}, 1001, many, false},
		{"some are queued", report.Options{}, 1001, map[string]int{"Not connected": 1000, "Queued": 1}, false},
		{"an earlier build does not count", report.Options{}, 1001, nil, false},
	} {
		if got := report.New(c.o).Counts(&client.Account{Expected: c.missing, Reasons: c.reasons}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Reporting a fleet that is offline takes a fraction of a second.
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
