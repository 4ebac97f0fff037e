package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/sim"
	"github.com/momtree/mom/topology/plan"
)

// mom runs mom with arguments.
func mom(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(append([]string{"mom"}, args...), strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func TestSimReports(t *testing.T) {
	args := []string{"sim", "--shape", "2x3x10", "--kills", "2", "--loss", "0.05", "--seed", "7", "--job", "fun=test.echo,part=0.5,size=100", "--job", "at=2s,fail=0.5"}
	code, out, errOut := mom(t, args...)
	if code != 0 || !strings.Contains(out, "test.echo") || !strings.Contains(out, "60 minions, 9 nodes in 3 tiers") {
		t.Fatalf("exit %d\n%s\n%s", code, out, errOut)
	}
	if _, again, _ := mom(t, args...); again != out {
		t.Errorf("the same seed gave\n%s\nand\n%s", out, again)
	}
	code, out, errOut = mom(t, append(args, "--out", "json")...)
	var r sim.Report
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || len(r.Jobs) != 2 || r.Minions != 60 {
		t.Errorf("exit %d, %v\n%s\n%s", code, err, out, errOut)
	}
	if code, out, errOut = mom(t, append(args, "--trace")...); code != 0 || !strings.Contains(out, "hands") {
		t.Errorf("exit %d: no trace in\n%s\n%s", code, out, errOut)
	}
	if code, _, errOut = mom(t, "sim", "--random", "--faults", "--seeds", "5"); code != 0 || !strings.Contains(errOut, "5 schedules") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

func TestSimRefusals(t *testing.T) {
	for _, args := range [][]string{
		{"--shape", "0x3"},
		{"--shape", "x"},
		{"--shape", "99999x99999x9"},
		{"--job", "what=1"},
		{"--job", "part=2"},
		{"--rtt", "soon"},
		{"--rtt", "5ms..1ms"},
		{"--out", "xml"},
		{"--seeds", "0"},
		{"--cores", "0"},
		{"more"},
	} {
		if code, _, errOut := mom(t, append([]string{"sim"}, args...)...); code != command.ExitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if code, _, errOut := mom(t, "sim", "--loss", "2"); code == 0 || !strings.Contains(errOut, "loss") {
		t.Errorf("a loss of 2: exit %d, %q", code, errOut)
	}
}

func TestPlanCommand(t *testing.T) {
	code, out, errOut := mom(t, "plan", "--minions", "100000", "--cost", "connection_memory=20000")
	if code != 0 || !strings.Contains(out, "shape 4x25000") {
		t.Fatalf("exit %d\n%s\n%s", code, out, errOut)
	}
	code, out, _ = mom(t, "plan", "--minions", "100000", "--out", "json", "--calibrate")
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
	if code, out, _ := mom(t, "plan", "--costs"); code != 0 || !strings.Contains(out, "docs/benchmarks.md") {
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
		if code, _, errOut := mom(t, append([]string{"plan"}, args...)...); code != command.ExitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if code, _, errOut := mom(t, "plan", "--minions", "1000000", "--jobs-per-minute", "60"); code != command.ExitFailure || !strings.Contains(errOut, "one top cannot carry") {
		t.Errorf("too much: exit %d, %q", code, errOut)
	}
}
