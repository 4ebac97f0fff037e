package modules

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	psutil "github.com/shirou/gopsutil/v4/process"

	hostproc "github.com/momtree/mom/internal/process"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/salt/text"
	"github.com/momtree/mom/value"
)

func init() {
	pid, pattern := Arg{Name: "pid", Required: true}, Arg{Name: "pattern", Required: true}
	user, sig, full := Arg{Name: "user"}, Arg{Name: "signal", Default: int64(15)}, Arg{Name: "full", Default: false}
	for _, f := range []struct {
		name          string
		args          []Arg
		run           func(context.Context, *Call) (any, error)
		what, example string
	}{
		{"get_pid_list", nil, psPids, "List the ids of all processes.", "get_pid_list"},
		{"kill_pid", []Arg{pid, sig}, psKill, "Send the process pid a signal, by its number. False: the process does not exist.", "kill_pid 2000 signal=9"},
		{
			"pgrep",
			[]Arg{pattern, user, full, {Name: "pattern_is_regex", Default: false}},
			psGrep,
			"Return the ids of the processes whose name contains pattern, a regular expression with pattern_is_regex.\nWith full the command line counts instead of the name. With user only that user's processes count.", "pgrep httpd",
		},
		{
			"pkill",
			[]Arg{pattern, user, sig, full},
			psKillAll,
			"Send a signal to the processes whose name contains pattern. With full the command line counts instead of\nthe name. With user only that user's processes count.", "pkill httpd signal=1",
		},
		{"proc_info", []Arg{pid, {Name: "attrs"}}, psInfo, "Return the attributes of the process pid. attrs selects some, such as name or memory_info.", "proc_info 2322 attrs='[pid, name]'"},
		{"status", []Arg{{Name: "status", Required: true}}, psStatus, "List the processes in the state status: running, sleeping, disk-sleep, stopped, zombie, idle, …", "status zombie"},
		{
			"top",
			[]Arg{{Name: "num_processes", Default: int64(5)}, {Name: "interval", Default: int64(3)}},
			psTop,
			"List the num_processes processes that used the processors most during interval seconds.", "top 5 10",
		},
	} {
		Register("ps", Function{Name: f.name, Args: f.args, Run: f.run, Doc: "\n" + f.what + "\n\nCLI Example:\n\n    salt '*' ps." + f.example + "\n"})
	}
}

// psPid returns the argument pid, checked as in psutil.
func (c *Call) psPid() (int32, error) {
	v := c.Value("pid")
	n, ok := Integer(v)
	switch _, isText := v.(string); {
	case !ok || isText:
		return 0, argErrorf("pid must be an integer (got %s)", PyRepr(v))
	case n < 0:
		return 0, &ExceptionError{"ValueError", "pid must be a positive integer (got " + PyStr(v) + ")"}
	case n > 1<<31-1:
		return 0, nil // no process has it
	}
	return int32(n), nil
}

func psPids(ctx context.Context, _ *Call) (any, error) {
	pids, err := psutil.PidsWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	slices.Sort(pids)
	out := make([]any, len(pids))
	for i, p := range pids {
		out[i] = int64(p)
	}
	return out, nil
}

// sendSignal sends a signal to a process; ok is false if the process does not exist.
func sendSignal(pid int32, sig int64) (bool, error) {
	if pid < 1 {
		return false, nil
	}
	if sig < 0 || sig > 64 {
		return false, argErrorf("signal must be the number of a signal, not %d", sig)
	}
	switch err := hostproc.Kill(int(pid), syscall.Signal(sig)); {
	case errors.Is(err, os.ErrProcessDone):
		return false, nil
	case err != nil:
		return false, CommandErrorf("send signal %d to process %d: %v", sig, pid, err)
	}
	return true, nil
}

func psKill(_ context.Context, c *Call) (any, error) {
	sig, err := c.Int("signal")
	if err != nil {
		return nil, err
	}
	pid, err := c.psPid()
	if err != nil {
		return nil, err
	}
	return sendSignal(pid, sig)
}

// psMatching returns the processes that match pattern, user and full, by id.
func (c *Call) psMatching(ctx context.Context, fits func(line string) bool) ([]*psutil.Process, error) {
	all, err := psutil.ProcessesWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	slices.SortFunc(all, func(a, b *psutil.Process) int { return cmp.Compare(a.Pid, b.Pid) })
	user := c.Value("user")
	return slices.DeleteFunc(all, func(p *psutil.Process) bool {
		line, _ := p.NameWithContext(ctx)
		if c.IsTrue("full") {
			words, _ := p.CmdlineSliceWithContext(ctx)
			line = strings.Join(words, " ")
		}
		if !fits(line) {
			return true
		}
		name, _ := p.UsernameWithContext(ctx)
		return user != nil && name != PyStr(user)
	}), nil
}

func psGrep(ctx context.Context, c *Call) (any, error) {
	fits := func(line string) bool { return strings.Contains(line, c.Str("pattern")) }
	if c.IsTrue("pattern_is_regex") {
		re, err := text.Compile(c.Str("pattern"), int64(0))
		if err != nil {
			return nil, argErrorf("pattern: %v", err)
		}
		fits = func(line string) bool {
			found, err := re.Match(line)
			return err == nil && found
		}
	}
	found, err := c.psMatching(ctx, fits)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	out := make([]any, len(found))
	for i, p := range found {
		out[i] = int64(p.Pid)
	}
	return out, nil
}

func psKillAll(ctx context.Context, c *Call) (any, error) {
	sig, err := c.Int("signal")
	if err != nil {
		return nil, err
	}
	if c.Str("pattern") == "" {
		return nil, InvocationErrorf("pattern is empty; it would match every process")
	}
	found, err := c.psMatching(ctx, func(line string) bool { return strings.Contains(line, c.Str("pattern")) })
	if err != nil {
		return nil, err
	}
	var killed []any
	for _, p := range found {
		got, err := sendSignal(p.Pid, sig)
		if err != nil {
			return nil, err
		}
		if got {
			killed = append(killed, int64(p.Pid))
		}
	}
	if killed == nil {
		return nil, nil
	}
	return value.NewMap("killed", killed), nil
}

// psState returns the state of a process in psutil's words; nil if unknown.
func psState(ctx context.Context, p *psutil.Process) any {
	states, err := p.StatusWithContext(ctx)
	if err != nil || len(states) == 0 || states[0] == psutil.UnknownState {
		return nil
	}
	if word, ok := map[string]string{
		psutil.Sleep: "sleeping", psutil.Blocked: "disk-sleep", psutil.Stop: "stopped",
		psutil.Lock: "locked", psutil.Wait: "waiting",
	}[states[0]]; ok {
		return word
	}
	return states[0]
}

func psStatus(ctx context.Context, c *Call) (any, error) {
	want := c.Str("status")
	if want == "" {
		return nil, InvocationErrorf("Filter is required for ps.status")
	}
	all, err := psutil.ProcessesWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	slices.SortFunc(all, func(a, b *psutil.Process) int { return cmp.Compare(a.Pid, b.Pid) })
	out := []any{}
	for _, p := range all {
		if psState(ctx, p) == want {
			name, _ := p.NameWithContext(ctx)
			out = append(out, value.NewMap("name", name, "pid", int64(p.Pid)))
		}
	}
	return out, nil
}

func psTop(ctx context.Context, c *Call) (any, error) {
	number, err := c.Int("num_processes")
	if err != nil {
		return nil, err
	}
	interval, err := c.Float("interval")
	if err != nil {
		return nil, err
	}
	all, err := psutil.ProcessesWithContext(ctx)
	if err != nil {
		return nil, osFault(err)
	}
	used := func(p *psutil.Process) (float64, bool) {
		t, err := p.TimesWithContext(ctx)
		if err != nil {
			return 0, false
		}
		return t.User + t.System, true
	}
	before := map[*psutil.Process]float64{}
	for _, p := range all {
		before[p], _ = used(p)
	}
	if !(interval >= 0) {
		return nil, &ExceptionError{"ValueError", "sleep length must be non-negative"}
	}
	if err := timing.Sleep(ctx, seconds(interval)); err != nil {
		return nil, err
	}
	diff := map[*psutil.Process]float64{}
	all = slices.DeleteFunc(all, func(p *psutil.Process) bool {
		now, ok := used(p)
		diff[p] = now - before[p]
		return !ok
	})
	slices.SortStableFunc(all, func(a, b *psutil.Process) int { return cmp.Compare(diff[b], diff[a]) })
	out := []any{}
	for _, p := range all {
		info := psInfoOf(ctx, p)
		times, memory := info.times(), info.memory()
		if times == nil || memory == nil {
			continue // it has ended
		}
		var cmd any = info.value("cmdline")
		if words, _ := cmd.([]any); len(words) == 0 {
			cmd = info.value("name")
		}
		out = append(out, value.NewMap("cmd", cmd, "user", info.value("username"), "status", info.value("status"), "pid", int64(p.Pid),
			"create_time", info.value("create_time"), "cpu", times, "mem", memory))
		if int64(len(out)) >= number {
			break
		}
	}
	return out, nil
}
