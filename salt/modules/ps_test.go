package modules

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/momtree/mom/value"
)

// ps.* sees and signals a process of the test.
func TestPs(t *testing.T) {
	env := newEnv()
	cmd := exec.Command("sleep", "31415")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	pid := int64(cmd.Process.Pid)
	for _, c := range []struct {
		fun  string
		args []any
	}{
		{"ps.pgrep", []any{"sleep 31415", kw("full", true)}},
		{"ps.pgrep", []any{"sl.*p 3141[5]$", kw("full", true, "pattern_is_regex", true)}},
		{"ps.get_pid_list", nil},
	} {
		list, _ := run(t, env, c.fun, c.args...).Value.([]any)
		if !slices.Contains(list, any(pid)) {
			t.Errorf("%s %v: %v has no %d", c.fun, c.args, list, pid)
		}
	}
	info, _ := run(t, env, "ps.proc_info", pid, []any{"name", "pid", "ppid", "cmdline", "memory_info", "uids"}).Value.(*value.Map)
	if info.String("name") != "sleep" || info.Int("pid") != pid || info.Int("ppid") != int64(os.Getpid()) || len(info.List("cmdline")) != 2 ||
		len(info.List("memory_info")) < 2 || len(info.List("uids")) != 3 {
		t.Errorf("ps.proc_info: %v", info)
	}
	calls(t, env, []callCase{
		{"ps.proc_info", []any{pid, []any{"nme"}}, "The minion function caused an exception: ValueError: invalid attr name 'nme'"},
		{"ps.proc_info", []any{int64(1 << 40)}, "ERROR: process PID not found (pid=1099511627776)"},
		{"ps.pgrep", []any{"no such process"}, nil},
		{"ps.pkill", []any{"no such process"}, nil},
		{"ps.pkill", []any{""}, "ERROR executing 'ps.pkill': pattern is empty; it would match every process"},
		{"ps.kill_pid", []any{int64(0)}, false},
		{"ps.kill_pid", []any{int64(1 << 40)}, false},
		{"ps.status", []any{""}, "ERROR executing 'ps.status': Filter is required for ps.status"},
		{"ps.network_io_counters", []any{"nosuch0"}, false},
		{"ps.disk_io_counters", []any{"nosuch0"}, false},
		{"ps.disk_usage", []any{"/nosuch"}, "The minion function caused an exception: FileNotFoundError: [Errno 2] No such file or directory: '/nosuch'"},
		{"ps.kill_pid", []any{pid}, true},
	})
	<-ended
	for _, name := range Functions() {
		fn, _ := Lookup(name)
		if len(name) > 3 && name[:3] == "ps." && (len(fn.Args) == 0 || !fn.Args[0].Required) && name != "ps.top" {
			if r := run(t, env, name); r.Err != nil || r.Value == nil {
				t.Errorf("%s: %v %v", name, r.Value, r.Err)
			}
		}
	}
}
