package process

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

// A killed group takes along what its program started.
func TestGroup_Kill(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 600 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g := NewGroup(cmd, nil)
	defer g.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := g.Begin(cmd); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !Exists(child) {
		t.Fatalf("child %q: %v", line, err)
	}
	g.Kill()
	if err := cmd.Wait(); err == nil {
		t.Error("the program was not killed")
	}
	waiting.Until(t, "the end of the child", func() bool { return !Exists(child) })
	if err := Kill(child, syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to an ended process: %v", err)
	}
}

func TestEnds(t *testing.T) {
	for sig, want := range map[syscall.Signal]bool{0: false, syscall.SIGTERM: true, syscall.SIGKILL: true, syscall.SIGHUP: true, syscall.SIGSTOP: false, syscall.SIGCONT: false} {
		if Ends(sig) != want {
			t.Errorf("%v: %v", sig, !want)
		}
	}
}

// A group that is killed between the start of its program and Begin, as by a context that ends then, is ended by Begin.
func TestGroup_KilledBeforeBegin(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	g := NewGroup(cmd, nil)
	defer g.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g.Kill()
	if err := g.Begin(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the program ended by itself")
	}
}
