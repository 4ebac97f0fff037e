package swarm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

func TestMain(m *testing.M) { momtest.Trees(m) }

// runReport runs a swarm below the top of a tree and reads the report it wrote.
func runReport(t *testing.T, tr *momtest.Tree, keys string, args ...string) report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	common := []string{"--keys", keys, "--shared-key", "--progress", "0"}
	got := tr.Run(Command(), "top", append(common, "--seed-keys", filepath.Join(tr.Dir, "top/etc/salt/pki/master"), args[0], args[1])...)
	if got.Code != 0 || !strings.Contains(got.Out, "stored as accepted") {
		t.Fatal(got)
	}
	got = tr.Run(Command(), "top", append(append(common, "--json", file), args...)...)
	if got.Code != 0 {
		t.Fatal(got)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

// 200 minions of each kind below a master of mom's: the accounts of the swarm and the master agree,
// and each job has each return once.
func TestSwarm_ExactAccount(t *testing.T) {
	keys := t.TempDir() // one pair for all three: making one takes seconds under the race detector
	for _, kind := range []string{"stock", "mom", "mix"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			const n, jobs = 200, 3
			r := runReport(t, momtest.Own(t, "top:"), keys, "--count", fmt.Sprint(n), "--publish", fmt.Sprint(jobs), "--behave", kind, "--delay", "0s..20ms")
			if r.SignedIn.Done != n || r.Ready.Done != n || r.Totals.Jobs != jobs || r.Totals.Acknowledged != n*jobs {
				t.Errorf("%+v", r)
			}
			if r.Totals.Lost+r.Totals.Doubled+r.Totals.Waiting+r.Totals.Silent != 0 || r.Requests.Abandoned+r.Requests.Unreadable != 0 {
				t.Errorf("%+v", r)
			}
			for _, j := range r.Jobs {
				if j.Minions != n || j.Acknowledged != n || j.AcknowledgedMinions != n {
					t.Errorf("%+v", j)
				}
			}
			for _, p := range r.Published {
				if !p.Ended || p.Expected != n || p.Returned != n || p.Failed+p.Missing != 0 {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// Bad options are refused with a reason before anything starts.
func TestSwarm_BadOptions(t *testing.T) {
	keys := t.TempDir()
	for want, args := range map[string][]string{
		"--shared-key is --pairs 1": {"--shared-key", "--pairs", "2"},
		"--target needs --publish":  {"--target", "x"},
		"--behave fast is unknown":  {"--behave", "fast"},
		"SHARE@AFTER+AWAY":          {"--herd", "0.5"},
		"exp:300ms":                 {"--delay", "-1s"},
		"it needs one %d":           {"--id", "web"},
		"at most 1":                 {"--down", "0.7", "--mute", "0.7"},
		"protocol 4 is not spoken":  {"--protocol", "4"},
		"use 0 to 1":                {"--die", "2"},
		"--source here":             {"--source", "here"},
		"is no port":                {"--port", "70000"},
	} {
		got := momtest.Run(Command(), "", append([]string{"--keys", keys, "--count", "1", "--pairs", "1"}, args...)...)
		if want == "--shared-key is --pairs 1" {
			got = momtest.Run(Command(), "", args...)
		}
		if got.Code != 64 || !strings.Contains(got.Err, want) {
			t.Errorf("%v: %v", args, got)
		}
	}
}
