package process

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// thread returns the id of a thread of this process other than the first.
func thread(t *testing.T) int {
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

// zombie starts a process that ends and is not waited for until the test is over.
func zombie(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("cat")
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
	t.Cleanup(func() { _ = cmd.Wait() })
	pid := cmd.Process.Pid
	_ = in.Close()
	_, _ = out.Read(make([]byte, 1)) // returns when the process ends
	for !ended(pid) {
		if startTime(pid) == 0 {
			t.Fatal("the process was reaped by somebody else")
		}
	}
	return pid
}

func TestIdentity_Alive(t *testing.T) {
	self := Self()
	if self.Boot == "" || self.Started == 0 {
		t.Fatalf("identity of this process is incomplete: %+v", self)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	z := zombie(t)
	for _, c := range []struct {
		what string
		id   Identity
		want bool
	}{
		{"this process", self, true},
		{"this process, by pid alone", Identity{PID: self.PID}, true},
		{"an earlier process of the same pid", Identity{PID: self.PID, Boot: self.Boot, Started: self.Started - 1}, false},
		{"the same numbers before a reboot", Identity{PID: self.PID, Boot: "another", Started: self.Started}, false},
		{"the parent", Of(os.Getppid()), true},
		{"a process that ended", Identity{PID: gone.Process.Pid}, false},
		{"a zombie", Of(z), false},
		{"a zombie, by pid alone", Identity{PID: z}, false},
		{"a thread", Identity{PID: thread(t)}, false},
		{"no pid", Identity{}, false},
		{"a group of processes", Identity{PID: -os.Getpid()}, false},
	} {
		if got := c.id.Alive(); got != c.want {
			t.Errorf("%s: alive is %v, want %v", c.what, got, c.want)
		}
	}
}
