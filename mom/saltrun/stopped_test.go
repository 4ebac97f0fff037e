package saltrun

import (
	"bufio"
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// A user who stops waiting for a call gets its id: it continues on the master.
func TestSaltRunStopped(t *testing.T) {
	tr := momtest.Shared(t)
	cmd := momtest.Process(t, "salt-run", "-c", tr.Conf("top"), "test.stream")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Errorf("it does not start: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "Exiting gracefully on Ctrl-c") ||
		!strings.Contains(stderr.String(), "This run's jid is: "+momtest.JID.FindString(stderr.String())) || momtest.JID.FindString(stderr.String()) == "" {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
	// It continues, and other tests use the tree.
	until(t, tr, func(r momtest.Ran) bool { return !strings.Contains(r.Out, "test.stream") }, "top", "jobs.master", "--out=json")
}
