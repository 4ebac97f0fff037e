package demo

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// A second demo in the folder of one that runs is refused before it writes anything, and
// the first goes on. When that one has ended, the folder can be used again.
func TestDemo_OneInAFolder(t *testing.T) {
	dir, err := os.MkdirTemp("", "demo") // short, for the sockets below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	tree := "top: m1\n  node: m2\n"
	first, yours := keep(t, dir, tree)
	if !yours {
		t.Fatal("the first demo did not come up")
	}
	before := configured(t, dir)
	out, err := momtest.Process(t, "mom", "demo", "--keep", "--dir", dir, "--tree", tree).CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 || !strings.Contains(string(out), "a demo runs in") ||
		!strings.Contains(string(out), fmt.Sprintf("process %d", first.Process.Pid)) {
		t.Errorf("%v: %s", err, out)
	}
	if after := configured(t, dir); after != before {
		t.Errorf("the files of the running tree have changed from\n%s\nto\n%s", before, after)
	}
	ping := momtest.Process(t, "mom", "salt", "-c", filepath.Join(dir, "top/conf"), "m1", "test.ping") // m2 is the one that the demo kills
	if out, err := ping.CombinedOutput(); err != nil || !strings.Contains(string(out), "True") {
		t.Errorf("the first tree answers %v: %s", err, out)
	}
	end(t, first, os.Interrupt)
	second, yours := keep(t, dir, tree)
	if !yours {
		t.Error("the folder of a demo that has ended cannot be used again")
	}
	end(t, second, os.Interrupt)
}

// Members that outlive a killed demo are not written over either, and a folder with other
// files is left alone.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), "not the folder of a demo") {
		t.Errorf("a folder with other files: %v", err)
	}
	dir = t.TempDir()
	f, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "top"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "top/pid"), fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("top (process %d)", os.Getpid())) {
		t.Errorf("a member that runs: %v", err)
	}
}

// keep starts a demo that stays, and reports whether it said that the tree is there.
func keep(t *testing.T, dir, tree string) (*exec.Cmd, bool) {
	t.Helper()
	cmd := momtest.Process(t, "mom", "demo", "--keep", "--dir", dir, "--tree", tree)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	var said strings.Builder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "The tree is yours") {
			return cmd, true
		}
	}
	t.Log(said.String())
	return cmd, false
}

func end(t *testing.T, cmd *exec.Cmd, sig os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code is not what is tested
}

// configured is what the configuration files of a tree hold.
func configured(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*/conf/*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	var b strings.Builder
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %x\n", f, sha256.Sum256(data))
	}
	return b.String()
}
