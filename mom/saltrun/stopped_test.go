package saltrun

import (
	"bufio"
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// A user who stops waiting for a call is told its id: it goes on at the master.
func TestSaltRunStopped(t *testing.T) {
	tr := momtest.Shared(t)
	cmd := momtest.Process(t, "salt-run", "-c", tr.Conf("top"), "test.stream")
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Errorf("it does not begin: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(told.String(), "Exiting gracefully on Ctrl-c") ||
		!strings.Contains(told.String(), "This run's jid is: "+momtest.JID.FindString(told.String())) || momtest.JID.FindString(told.String()) == "" {
		t.Errorf("exit %d: %s", code, told.String())
	}
	// It goes on, and the tree is used by other tests.
	until(t, tr, func(r momtest.Ran) bool { return !strings.Contains(r.Out, "test.stream") }, "top", "jobs.master", "--out=json")
}
