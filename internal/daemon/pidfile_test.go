package daemon

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/internal/waiting"
)

func pidPath(t *testing.T) string { return filepath.Join(t.TempDir(), "run", "mom.pid") }

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// otherThread returns the id of a thread of this process other than the first, whose id is the
// pid.
func otherThread(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tasks {
		if id, err := strconv.Atoi(e.Name()); err == nil && id != os.Getpid() {
			return id
		}
	}
	t.Fatal("this process has one thread")
	return 0
}

func TestPidFile(t *testing.T) {
	own := strconv.Itoa(os.Getpid()) + "\n"
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]string{
		"none": "", "own": own, "garbage": "abc\n", "empty": "\n", "negative": "-1\n",
		"dead process": strconv.Itoa(dead.Process.Pid) + "\n",
		// The pid was reused by another program.
		"foreign process": strconv.Itoa(os.Getppid()) + "\n",
		"longer":          strings.Repeat("9", 30) + "\n",
		// In a restarted container the pids begin again.
		"own thread": strconv.Itoa(otherThread(t)) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := pidPath(t)
			if before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p, err := WritePidFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != own {
				t.Errorf("content %q", got)
			}
			for range 2 {
				if err := p.Remove(); err != nil {
					t.Error(err)
				}
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
}

// holder starts another running instance of this program.
func holder(t *testing.T, path string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=holder", "DAEMON_TEST_PIDFILE="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

func TestPidFileOfARunningInstance(t *testing.T) {
	path := pidPath(t)
	cmd, line := holder(t, path)
	if line != "ok" {
		t.Fatal(line)
	}
	_, err := WritePidFile(path)
	if !errors.Is(err, ErrRunning) || !strings.Contains(err.Error(), strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("%v", err)
	}
	if got := content(t, path); got != strconv.Itoa(cmd.Process.Pid)+"\n" {
		t.Errorf("content %q", got)
	}
	// Nobody removes the file of another process.
	if err := (&PidFile{path: path, pid: os.Getpid()}).Remove(); err != nil {
		t.Error(err)
	}
	if got := content(t, path); got != strconv.Itoa(cmd.Process.Pid)+"\n" {
		t.Errorf("content %q", got)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	p, err := WritePidFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
}

// A killed process that was not waited for yet is not a running instance.
func TestPidFileOfAKilledInstance(t *testing.T) {
	path := pidPath(t)
	cmd, line := holder(t, path)
	if line != "ok" {
		t.Fatal(line)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "its end", func() bool { return !process.Exists(cmd.Process.Pid) })
	p, err := WritePidFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
}

// TestPidFileOfASaltDaemon: Python's daemon in the same directory is recognized, and its file
// stays.
func TestPidFileOfASaltDaemon(t *testing.T) {
	script := filepath.Join(t.TempDir(), "salt-master")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho ready\nread line\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	path := filepath.Join(t.TempDir(), "pid")
	pid := strconv.Itoa(cmd.Process.Pid) + "\n"
	if err := os.WriteFile(path, []byte(pid), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WritePidFile(path, "salt-master"); !errors.Is(err, ErrRunning) {
		t.Errorf("%v", err)
	}
	if got := content(t, path); got != pid {
		t.Errorf("the file of the other holds %q now", got)
	}
	if _, err := WritePidFile(path, "salt-minion"); err != nil {
		t.Errorf("another daemon, which got the number later: %v", err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // a shell without input fails
}

func TestOneOfManyStartsWins(t *testing.T) {
	path := pidPath(t)
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, line := holder(t, path)
			mu.Lock()
			defer mu.Unlock()
			if line == "ok" {
				won++
			} else if !strings.Contains(line, "already running") {
				t.Error(line)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d instances run", won)
	}
}

func TestNoPidFile(t *testing.T) {
	p, err := WritePidFile("")
	if err != nil || p.Remove() != nil || (*PidFile)(nil).Remove() != nil {
		t.Errorf("%v", err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WritePidFile(filepath.Join(blocked, "pid")); err == nil || !strings.Contains(err.Error(), "pidfile") {
		t.Errorf("%v", err)
	}
}
