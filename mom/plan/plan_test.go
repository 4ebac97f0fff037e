package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/topology/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runLine runs the command.
func runLine(args ...string) (code int, out, errOut string) {
	r := momtest.Run(Command(), "", args...)
	return r.Code, r.Out, r.Err
}

func TestPlanCommand(t *testing.T) {
	code, out, errOut := runLine("--minions", "100000", "--cost", "connection_memory=20000")
	if code != 0 || !strings.Contains(out, "shape 4x25000") {
		t.Fatalf("exit %d\n%s\n%s", code, out, errOut)
	}
	code, out, _ = runLine("--minions", "100000", "--out", "json", "--calibrate")
	var p plan.Plan
	if err := json.Unmarshal([]byte(out), &p); code != 0 || err != nil || len(p.Tiers) == 0 {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	here := 0
	for _, c := range p.Costs {
		if strings.Contains(c.Source, "--calibrate") {
			here++
		}
	}
	if here != 3 {
		t.Errorf("%d costs were measured here, want 3", here)
	}
	if code, out, _ := runLine("--costs"); code != 0 || !strings.Contains(out, "docs/reference/benchmarks.md") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, args := range [][]string{
		{},
		{"--minions", "-5"},
		{"--minions", "10", "--size", "0"},
		{"--minions", "10", "--memory", "-1"},
		{"--minions", "10", "--cost", "x=1"},
		{"--minions", "10", "--cost", "row_cpu"},
		{"--minions", "10", "--out", "xml"},
		{"--minions", "10", "--load", "7"},
	} {
		if code, _, errOut := runLine(args...); code != command.ExitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if code, _, errOut := runLine("--minions", "1000000", "--jobs-per-minute", "60"); code != command.ExitFailure || !strings.Contains(errOut, "one top cannot carry") {
		t.Errorf("too much: exit %d, %q", code, errOut)
	}
}
