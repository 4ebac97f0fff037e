package modules

import (
	"bufio"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/value"
)

func TestCmd_calls(t *testing.T) {
	dir := t.TempDir()
	env := newEnv()
	sh := func(more ...any) *value.Map { return kw(append([]any{"shell", "/bin/sh"}, more...)...) }
	calls(t, env, []callCase{
		{"cmd.run", []any{"echo a; echo b >&2", sh()}, "a\nb"},
		{"cmd.run", []any{"exit 3", sh()}, ""},
		{"cmd.run", []any{"echo \"$A-$B\"", sh("env", []any{value.NewMap("A", int64(1)), value.NewMap("B", nil)})}, "1-"},
		{"cmd.run", []any{"echo $LC_ALL-$LC_MESSAGES-$NOTIFY_SOCKET", sh("env", value.NewMap("LC_ALL", "x"))}, "x-C-"},
		{"cmd.run", []any{"pwd", sh("cwd", dir)}, dir},
		{"cmd.run", []any{"pwd", sh("cwd", "relative")}, "ERROR: Specified cwd 'relative' either not absolute or does not exist"},
		{"cmd.run", []any{"cat", sh("stdin", `a\nb`)}, "a\nb"},
		{"cmd.run", []any{"cat", sh("stdin", `a\nb`, "stdin_raw_newlines", true)}, `a\nb`},
		{"cmd.run", []any{"true", sh("stdin", strings.Repeat("x", 1<<20))}, ""},
		{"cmd.run", []any{"umask", sh("umask", "027")}, "0027"},
		{"cmd.run", []any{"umask", sh("umask", int64(27))}, "0027"},
		{"cmd.run", []any{"true", sh("umask", "000")}, "ERROR: Zero umask is not allowed."},
		{"cmd.run", []any{"true", sh("umask", "9")}, "ERROR: Invalid umask: '9'"},
		{"cmd.run", []any{"echo 'a  '", sh("rstrip", false)}, "a  \n"},
		{"cmd.run", []any{"echo secret", sh("hide_output", true)}, ""},
		{"cmd.run", []any{`printf '\344\377'`, sh()}, "\ufffd\ufffd"},
		{"cmd.run", []any{`printf '\344'`, sh("output_encoding", "latin-1")}, "ä"},
		{"cmd.run", []any{"true", sh("output_encoding", "utf-16")}, "ERROR executing 'cmd.run': output_encoding 'utf-16' is not supported; utf-8, ascii and latin-1 are"},
		{"cmd.run", []any{"echo bad; exit 2", sh("raise_err", true)}, "ERROR: bad"},
		{"cmd.run", []any{"true", sh("template", "mako")}, "ERROR: Attempted to render file paths with unavailable engine mako"},
		{"cmd.run", []any{"true", sh("output_loglevel", "loud")}, "ERROR executing 'cmd.run': output_loglevel 'loud' is not a level; levels are quiet, critical, debug, error, garbage, info, profile, trace, warning"},
		{"cmd.run", []any{"true", kw("shell", "/no/shell")}, "ERROR: The shell /no/shell is not available (python_shell=False runs a program without one)"},
		{"cmd.run", []any{"true", sh("runas", "no-such-user")}, "ERROR: User 'no-such-user' is not available"},
		{"cmd.run", []any{"true", sh("group", "no-such-group")}, "ERROR: Group 'no-such-group' is not available"},
		{"cmd.run", []any{"true", sh("timeout", "soon")}, "Passed invalid arguments to cmd.run: timeout must be a number of seconds, not 'soon'"},
		{"cmd.run", []any{"true", sh("runsa", int64(1))}, "ERROR executing 'cmd.run': The following keyword arguments are not valid: runsa=1"},
		{"cmd.run", nil, "Passed invalid arguments to cmd.run: run() missing 1 required positional argument: 'cmd'"},
		{"cmd.run", []any{"echo $HOME *", kw("python_shell", false)}, "$HOME *"},
		{"cmd.run", []any{[]any{"echo", "a b", int64(5)}, kw("python_shell", false)}, "a b 5"},
		{"cmd.run", []any{"echo 'x", kw("python_shell", false)}, "The minion function caused an exception: ValueError: No closing quotation"},
		{"cmd.run", []any{"no-such-program x", kw("python_shell", false)}, "ERROR: Unable to run command '['no-such-program', 'x']': no such program"},
		{"cmd.run", []any{" ", kw("python_shell", false)}, "Passed invalid arguments to cmd.run: cmd is empty"},
		{"cmd.shell", []any{"echo $((1+2))", sh()}, "3"},
		{"cmd.run_stdout", []any{"echo a; echo b >&2", sh()}, "a"},
		{"cmd.run_stderr", []any{"echo a; echo b >&2", sh()}, "b"},
		{"cmd.retcode", []any{"exit 7", sh()}, int64(7)},
		{"cmd.retcode", []any{"kill -9 $$", sh()}, int64(-9)},
		{"cmd.has_exec", []any{"sh"}, true},
		{"cmd.has_exec", []any{"no-such-program"}, false},
		{"cmd.which", []any{"no-such-program"}, nil},
		{"cmd.which_bin", []any{[]any{"no-such-program", "/bin/sh"}}, "/bin/sh"},
	})
}

func TestCmd_Retcodes(t *testing.T) {
	for _, tt := range []struct {
		line string
		kw   *value.Map
		want int
	}{
		{"exit 3", kw(), 3},
		{"exit 3", kw("ignore_retcode", true), 0},
		{"exit 3", kw("success_retcodes", []any{int64(0), int64(3)}), 0},
		{"exit 3", kw("success_retcodes", "1, 3"), 0},
		{"echo all is well; exit 3", kw("success_stdout", "is well"), 0},
		{"echo odd >&2; exit 3", kw("success_stderr", []any{"odd"}), 0},
		{"echo odd >&2; exit 3", kw("success_stdout", []any{"odd"}), 3},
	} {
		tt.kw.Set("shell", "/bin/sh")
		if r := run(t, newEnv(), "cmd.run_all", tt.line, tt.kw); r.Retcode != tt.want {
			t.Errorf("%s with %s: retcode %d, want %d", tt.line, PyRepr(tt.kw), r.Retcode, tt.want)
		}
	}
	if r := run(t, newEnv(), "cmd.run", "true", kw("success_retcodes", "x")); r.Value != "ERROR executing 'cmd.run': success_retcodes must be a list of integers" {
		t.Errorf("result = %v", r.Value)
	}
}

func TestCmd_RunAll(t *testing.T) {
	r := run(t, newEnv(), "cmd.run_all", "echo a; echo e >&2; exit 3", kw("shell", "/bin/sh"))
	got := r.Value.(*value.Map)
	same(t, "keys", got.Keys(), []any{"pid", "retcode", "stdout", "stderr"})
	if got.Int("pid") < 2 {
		t.Errorf("pid = %d", got.Int("pid"))
	}
	got.Delete("pid")
	same(t, "result", plainValue(got), any(m{"retcode": int64(3), "stdout": "a", "stderr": "e"}))
	merged := result(t, newEnv(), "cmd.run_all", "echo a; echo e >&2", kw("shell", "/bin/sh", "redirect_stderr", true)).(m)
	same(t, "merged", []any{merged["stdout"], merged["stderr"]}, []any{"a\ne", ""})
}

// A call from a template, a state or another function belongs to a job too, but no shell
// reads its command.
func TestCmd_NoShellFromInside(t *testing.T) {
	env := newEnv()
	inner := func(fun string, args ...any) any {
		return Execute(t.Context(), env, Invocation{Fun: fun, Args: args, JID: "20240101000000000001"}).Value
	}
	for _, fun := range []string{"cmd.run", "cmd.run_stdout"} {
		same(t, fun, inner(fun, "echo $HOME; id"), any("$HOME; id"))
	}
	same(t, "list", inner("cmd.run", []any{"echo", "a b", "$HOME"}), any("a b $HOME"))
	same(t, "python_shell", inner("cmd.run", "echo a | cat", kw("python_shell", true, "shell", "/bin/sh")), any("a"))
	same(t, "cmd.shell", inner("cmd.shell", "echo a | cat", kw("shell", "/bin/sh")), any("a"))
	same(t, "own name", inner("cmd.run", []any{"sh", "-c", "echo $0"}), any("sh"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho here\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	same(t, "of the working folder", inner("cmd.run", "./tool", kw("cwd", dir)), any("here"))
	same(t, "by another function", inner("test.cross_test", "cmd.run", kw("args", []any{"echo a | cat"})), any("a | cat"))
	env.options.Set("cmd_safe", false)
	if got := inner("cmd.run", "echo $HOME", kw("shell", "/bin/sh")); got == "$HOME" {
		t.Error("cmd_safe: False did not bring the shell")
	}
}

func TestCmd_OutputIsBounded(t *testing.T) {
	env := newEnv()
	env.options.Set(OptionOutputMax, int64(10))
	r := run(t, env, "cmd.run", "i=0; while [ $i -lt 5000 ]; do echo 0123456789; i=$((i+1)); done; exit 4", kw("shell", "/bin/sh"))
	same(t, "text", r.Value, any("0123456789\n[output cut: 10 of 55000 bytes kept, option cmd_output_max]"))
	if r.Retcode != 4 {
		t.Errorf("retcode = %d, want 4", r.Retcode)
	}
}

func TestCmd_Lists(t *testing.T) {
	env := newEnv()
	env.options.Set("cmd_blacklist_glob", []any{"rm *", "echo bad*"})
	same(t, "black", run(t, env, "cmd.run", "echo bad x").Value, any(`ERROR: The shell command "echo bad x" is not permitted`))
	same(t, "fine", run(t, env, "cmd.run", "echo x").Value, any("x"))
	env = newEnv()
	env.options.Set("cmd_whitelist_glob", []any{"echo *"})
	same(t, "white", run(t, env, "cmd.run", "echo x").Value, any("x"))
	if r := run(t, env, "cmd.run", "id"); r.Success {
		t.Errorf("a command off the list ran: %v", r.Value)
	}
}

func TestCmd_Log(t *testing.T) {
	env := newEnv()
	run(t, env, "cmd.run", "echo first", kw("output_loglevel", "warning"))
	if !strings.Contains(env.logged(), "text=first") || !strings.Contains(env.logged(), "level=WARN") {
		t.Errorf("log = %s", env.logged())
	}
	env = newEnv()
	run(t, env, "cmd.run", "echo secret; exit 1", kw("output_loglevel", "quiet"))
	if strings.Contains(env.logged(), "secret") {
		t.Errorf("quiet command in the log: %s", env.logged())
	}
	env = newEnv()
	run(t, env, "cmd.run", "exit 1")
	if !strings.Contains(env.logged(), "level=ERROR") {
		t.Errorf("log = %s", env.logged())
	}
}

func TestCmd_Runas(t *testing.T) {
	self, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "self", run(t, newEnv(), "cmd.run", "echo $USER $(id -u)", kw("runas", self.Username)).Value, any(self.Username+" "+self.Uid))
	if os.Geteuid() != 0 {
		return // only root can change the user
	}
	for _, name := range []string{"nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		got := run(t, newEnv(), "cmd.run", "echo $USER $HOME $(id -u) $(id -g)", kw("runas", name, "cwd", "/")).Value
		same(t, name, got, any(strings.Join([]string{name, u.HomeDir, u.Uid, u.Gid}, " ")))
		groups := strings.Fields(run(t, newEnv(), "cmd.run", "id -G", kw("runas", name, "cwd", "/")).Value.(string))
		want, err := u.GroupIds()
		if err != nil {
			t.Fatal(err)
		}
		if len(groups) != len(want) {
			t.Errorf("groups of %s = %v, want %v", name, groups, want)
		}
	}
}

// fifo creates a named pipe and returns the lines written to it.
func fifo(t *testing.T) (path string, lines func() string) {
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() string {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		line, err := bufio.NewReader(f).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
}

// waitGone waits until a process has ended.
func waitGone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(n, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const limit = 10_000 // milliseconds
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, limit)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || ready == 0 {
			t.Fatalf("process %s lives on (%v)", pid, err)
		}
		return
	}
}

func TestCmd_TimeoutKillsTheGroup(t *testing.T) {
	path, line := fifo(t)
	done := make(chan Result, 1)
	go func() {
		done <- Execute(t.Context(), newEnv(), Invocation{
			Fun: "cmd.run", Direct: true, JID: "1",
			Args: []any{"echo before; sleep 3600 & echo $! > " + path + "; wait", kw("timeout", 0.3, "shell", "/bin/sh")},
		})
	}()
	child := line()
	r := <-done
	text := r.Value.(string)
	if !strings.HasPrefix(text, "before\n") || !strings.HasSuffix(text, " : Timed out after 0.3 seconds") || r.Retcode != 1 {
		t.Errorf("result = %q, retcode %d", text, r.Retcode)
	}
	waitGone(t, child)
}

func TestCmd_SignalsReachTheCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		fun    string
		signal any
	}{
		"term": {"saltutil.term_job", nil},
		"kill": {"saltutil.kill_job", nil},
		"hup":  {"saltutil.signal_job", int64(1)},
	} {
		t.Run(name, func(t *testing.T) {
			path, line := fifo(t)
			env := newEnv()
			ctx, end, err := env.jobs.Begin(t.Context(), value.NewMap("jid", "55", "fun", "cmd.run"))
			if err != nil {
				t.Fatal(err)
			}
			defer end()
			done := make(chan Result, 1)
			go func() {
				done <- Execute(ctx, env, Invocation{
					Fun: "cmd.run", Direct: true, JID: "55", Args: []any{"sleep 3600 & echo $! > " + path + "; wait", kw("shell", "/bin/sh")},
				})
			}()
			child := line()
			args := []any{"55"}
			if tt.signal != nil {
				args = append(args, tt.signal)
			}
			if text := result(t, env, tt.fun, args...); !strings.Contains(text.(string), "sent to job 55 at pid") {
				t.Errorf("%s = %v", tt.fun, text)
			}
			if r := <-done; r.Success || !strings.HasPrefix(r.Value.(string), "ERROR: job 55 was ended: signal ") {
				t.Errorf("result = %v", r.Value)
			}
			waitGone(t, child)
		})
	}
}

func TestCmd_SignalThatEndsNothingIsPassedOn(t *testing.T) {
	path, line := fifo(t)
	env := newEnv()
	ctx, end, err := env.jobs.Begin(t.Context(), value.NewMap("jid", "56"))
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	done := make(chan Result, 1)
	go func() {
		done <- Execute(ctx, env, Invocation{Fun: "cmd.run", Direct: true, JID: "56", Args: []any{
			"trap 'echo signalled; kill $P; exit 0' WINCH; sleep 3600 & P=$!; echo $P > " + path + "; wait", kw("shell", "/bin/sh"),
		}})
	}()
	line()
	// A shell that is about to wait may miss the first signal until its child ends.
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		result(t, env, "saltutil.signal_job", "56", int64(syscall.SIGWINCH))
		select {
		case r := <-done:
			if r.Value != "signalled" || !r.Success {
				t.Errorf("result = %v, %v", r.Value, r.Success)
			}
			return
		case <-again.C:
		}
	}
}

func TestCmd_Background(t *testing.T) {
	path, line := fifo(t)
	got := result(t, newEnv(), "cmd.run_bg", "echo $$ > "+path+"; exec sleep 3600", kw("timeout", 0.2, "shell", "/bin/sh")).(m)
	pid := line()
	if strconv.FormatInt(got["pid"].(int64), 10) != pid {
		t.Errorf("pid = %v, the command says %s", got["pid"], pid)
	}
	waitGone(t, pid)
	same(t, "bg", run(t, newEnv(), "cmd.run", "true", kw("bg", true)).Value, any(""))
	if r := run(t, newEnv(), "cmd.run_bg", "cat", kw("stdin", "x")); r.Success {
		t.Errorf("stdin for the background gave %v", r.Value)
	}
}

func TestWhichIn(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"tool": filepath.Join(dir, "tool"), "text": "", "": "", filepath.Join(dir, "tool"): filepath.Join(dir, "tool"),
		filepath.Join(dir, "none"): "", "..": "",
	} {
		if got := whichIn(name, "::"+dir); got != want {
			t.Errorf("which %q = %q, want %q", name, got, want)
		}
	}
}

// use_vt gives a command terminals, one for each stream, with a terminal's line ends.
func TestCmd_Terminal(t *testing.T) {
	const line = "test -t 1 && test -t 2 && echo out && echo err >&2; echo end"
	for _, tt := range []struct {
		vt   bool
		want m
	}{
		{false, m{"stdout": "end", "stderr": ""}},
		{true, m{"stdout": "out\r\nend", "stderr": "err"}},
	} {
		got := result(t, newEnv(), "cmd.run_all", line, kw("shell", "/bin/sh", "python_shell", true, "use_vt", tt.vt)).(m)
		same(t, "streams", m{"stdout": got["stdout"], "stderr": got["stderr"]}, tt.want)
	}
	long := result(t, newEnv(), "cmd.run", "head -c 100000 /dev/zero | tr '\\0' x", kw("shell", "/bin/sh", "python_shell", true, "use_vt", true)).(string)
	same(t, "length of a long output", len(long), 100000)
	same(t, "beside other options", result(t, newEnv(), "cmd.run", "echo x", kw("use_vt", true, "timeout", int64(5), "stdin", "in")), any("x"))
}
