package momclient

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
	built "github.com/momtree/mom/test/program"
)

func TestMain(m *testing.M) { momtest.Trees(m) }

const example = "../../client/example"

// The example needs no module that this one does not have, so that it can be built without
// a network wherever this one can.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "momclient")
	for _, args := range [][]string{{"vet", "."}, {"build", "-o", program, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = example
		cmd.Env = append(built.Env(), "GOPROXY=off", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s in %s: %v\n%s\nIf the modules of this one have changed: go -C client/example mod tidy", args[0], example, err, out)
		}
	}
	return program
}

func TestExample(t *testing.T) {
	program := build(t)
	tr := momtest.Shared(t)
	cmd := exec.CommandContext(t.Context(), program, "-c", tr.Conf("top"), "-timeout", momtest.Patience.String())
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &errOut)
	}
	want := []string{
		"db-01 received [hello 7] from momclient",
		"top-01 received [hello 7] from momclient",
		"web-01 received [hello 7] from momclient",
		"web-02 received [hello 7] from momclient",
		"job complete: 4 of 4 minions returned",
		"stored: 4 returns",
		"runner: 4 minions are up",
		`started runner: {"args": ["later"], "kwargs": {}}`,
		"wheel: 2 keys are accepted",
		`event: momclient/hello says "to myself"`,
		"bad target: no such group",
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	slices.Sort(got[:min(4, len(got))]) // returns come in any order
	if !slices.Equal(got, want) || errOut.Len() > 0 {
		t.Errorf("printed\n%s\n%s\nwant\n%s", strings.Join(got, "\n"), &errOut, strings.Join(want, "\n"))
	}
}

// Without a master it says what is wrong.
func TestExampleWithoutAMaster(t *testing.T) {
	program := build(t)
	dir := t.TempDir()
	text := "ret_port: 1\ninterface: 127.0.0.1\nsock_dir: " + dir + "\ncachedir: " + dir + "\n"
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, "-c", dir, "-timeout", "500ms").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "momclient: the master does not answer at 127.0.0.1:1") {
		t.Errorf("%v: %s", err, out)
	}
}
