//go:build linux

package chaos

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestRounds plays a round (three in `make slow`), as `make chaos` plays many: in
// namespaces where they are permitted, else on loopback addresses.
func TestRounds(t *testing.T) { play(t, "--network=auto", rounds, "--seed=1000", "--length=5s") }

// TestRounds_Loopback plays one in the way that works without any permission.
func TestRounds_Loopback(t *testing.T) {
	play(t, "--network=loopback", "--rounds=1", "--seed=2000", "--length=4s")
}

// TestRounds_Postgres plays one with PostgreSQL, which is killed.
func TestRounds_Postgres(t *testing.T) {
	if out := play(t, "--network=auto", "--store=postgres", "--rounds=1", "--seed=341", "--length=3s", "-v"); !strings.Contains(out, "begins: sqlkill") {
		t.Error("PostgreSQL was not killed")
	}
}

// TestRounds_Drain plays one in which a node is drained.
func TestRounds_Drain(t *testing.T) {
	if out := play(t, "--network=auto", "--rounds=1", "--seed=2459", "--length=8s", "-v"); !strings.Contains(out, "Draining: ") {
		t.Error("mom node drain did not begin")
	}
}

func play(t *testing.T, args ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcr") // short: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), lab, append(append([]string{"chaos"}, args...), "--program="+program, "--dir="+dir)...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "rounds passed") {
		t.Fatalf("%v; logs are in %s", err, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
	return string(out)
}
