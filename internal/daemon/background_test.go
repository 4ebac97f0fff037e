package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

func TestBackground(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	for _, c := range []struct {
		role, says string
		code       int
	}{
		{"good", "started", 0},
		{"bad", "failed: the ports; are taken", 3},
		{"mute", "failed: the daemon ended at its start: exit status 5", 3},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), roleEnv+"="+c.role, "DAEMON_TEST_MARK="+mark)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != c.says || cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%s: %q, exit %d", c.role, got, cmd.ProcessState.ExitCode())
		}
	}
	// The good one continues after the command has ended.
	waiting.Until(t, "the daemon to go on", func() bool {
		b, err := os.ReadFile(mark)
		return err == nil && string(b) == "alive"
	})
}

func TestStartedInForeground(t *testing.T) {
	if InBackground() {
		t.Fatal("a test is not in the background")
	}
	Started(nil) // nobody waits: it must not write anything
}
