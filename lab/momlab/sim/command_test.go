package sim

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/momtree/mom/lab/sim"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/momtest"
)

// runLine runs the command.
func runLine(args ...string) (code int, out, errOut string) {
	r := momtest.Run(Command(), "", args...)
	return r.Code, r.Out, r.Err
}

func TestSimReports(t *testing.T) {
	args := []string{"--shape", "2x3x10", "--kills", "2", "--loss", "0.05", "--seed", "7", "--job", "fun=test.echo,part=0.5,size=100", "--job", "at=2s,fail=0.5"}
	code, out, errOut := runLine(args...)
	if code != 0 || !strings.Contains(out, "test.echo") || !strings.Contains(out, "60 minions, 9 nodes in 3 tiers") {
		t.Fatalf("exit %d\n%s\n%s", code, out, errOut)
	}
	if _, again, _ := runLine(args...); again != out {
		t.Errorf("the same seed gave\n%s\nand\n%s", out, again)
	}
	code, out, errOut = runLine(append(args, "--out", "json")...)
	var r sim.Report
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || len(r.Jobs) != 2 || r.Minions != 60 {
		t.Errorf("exit %d, %v\n%s\n%s", code, err, out, errOut)
	}
	if code, out, errOut = runLine(append(args, "--trace")...); code != 0 || !strings.Contains(out, "hands") {
		t.Errorf("exit %d: no trace in\n%s\n%s", code, out, errOut)
	}
	if code, _, errOut = runLine("--random", "--faults", "--seeds", "5"); code != 0 || !strings.Contains(errOut, "5 schedules") {
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
		{"--wan-rtt", "soon"},
		{"--wan-rate", "-1"},
		{"--sql-rows", "100", "--sql-commit", "soon"},
		{"more"},
	} {
		if code, _, errOut := runLine(args...); code != command.ExitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %q", args, code, errOut)
		}
	}
	if code, _, errOut := runLine("--loss", "2"); code == 0 || !strings.Contains(errOut, "loss") {
		t.Errorf("a loss of 2: exit %d, %q", code, errOut)
	}
}

// The command line that a failed test of lab/sim prints plays the same schedule again, with all that
// was drawn.
func TestSimPlaysWhatTheTestsPlay(t *testing.T) {
	for seed := range uint64(40) {
		w, err := sim.New(sim.RandomOptions(seed, seed%3))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, err := json.MarshalIndent(w.Report(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		_, got, errOut := runLine("--random", "--faults", "--seed", strconv.FormatUint(seed, 10), "--salt", strconv.FormatUint(seed%3, 10), "--out", "json")
		if strings.TrimSpace(got) != string(want) {
			t.Errorf("seed %d: played again it gives\n%s%s\nand in the tests\n%s", seed, got, errOut, want)
		}
	}
}
