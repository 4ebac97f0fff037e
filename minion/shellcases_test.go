package minion

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// shellAnswers has the answers of Salt 3006.27 to each call of [shellCalls].
const shellAnswers = "testdata/shell.json"

// shellCommand is a command that a shell and a program without a shell interpret differently,
// or must interpret alike.
type shellCommand struct {
	fun    string
	cmd    any
	kwargs *value.Map
}

// shellLines are commands of cmd.run without further arguments.
var shellLines = []any{
	"echo a; echo $HOME", "echo x | wc -c", "echo $HOME", "echo ~", "echo *", "echo 'a b'  c", `echo "a $HOME" c`, `echo a\ b`,
	"echo a && echo b", "echo a || echo b", "echo $(echo in)", "echo `echo in`", "echo a # b", "echo 'open", "echo {a,b}",
	"echo a > made", "echo a &", "exec echo x", "test 1 = 1 && echo yes", `echo "a\"b"`, `echo 'it'"'"'s'`, `echo '\n'`, "echo a\tb",
	"echo a\necho b", "! true", "(echo sub)", "echo a >&2", "printf '%s|' a 'b c' ''", "echo [a-z]*", "echo one?", "echo $0 $1", "echo $((1+2))",
	"echo ${HOME:-x}", "cd / ; pwd", "true", "false", "no-such-program x", "./tool a", "tool a", "echo -e a", "echo \u00fc \u4e2d", `echo \$HOME`,
	[]any{"echo", "a b"},
	[]any{"echo", "$HOME", ";", "id"},
	[]any{"echo a b"},
	[]any{"sh", "-c", "echo $0 $1", "x", "y"},
	[]any{"echo", "*"},
	[]any{"./tool", "b"},
}

func shellCommands() []shellCommand {
	var list []shellCommand
	for _, line := range shellLines {
		list = append(list, shellCommand{fun: "cmd.run", cmd: line})
	}
	for _, line := range []any{"echo x | wc -c", "echo a b; echo $HOME", []any{"echo", "a b"}} {
		for _, shell := range []any{true, false, nil, "yes", "", int64(1), int64(0)} {
			list = append(list, shellCommand{"cmd.run", line, value.NewMap("python_shell", shell)})
		}
		list = append(list, shellCommand{"cmd.run", line, value.NewMap("shell", "/bin/bash")},
			shellCommand{"cmd.shell", line, value.NewMap("python_shell", false)}, shellCommand{"cmd.shell", line, value.NewMap("python_shell", nil)})
		for _, fun := range []string{"cmd.shell", "cmd.run_stdout", "cmd.run_stderr", "cmd.run_all", "cmd.retcode"} {
			list = append(list, shellCommand{fun: fun, cmd: line})
		}
	}
	for _, fun := range []string{"cmd.run_stderr", "cmd.run_all", "cmd.retcode"} {
		list = append(list, shellCommand{fun: fun, cmd: "ls /none; exit 4"}, shellCommand{fun: fun, cmd: "test 1 = 2 || exit 5"})
	}
	return list
}

// shellConditions are values of onlyif, unless and check_cmd.
var shellConditions = []any{"true", "false", "true && false", "false || true", "echo a | grep -q b", "test -n $HOME", "exit 0; exit 1", "! false", []any{"true", "true; false"}}

// shellCall is one call on a minion: a function with its arguments.
type shellCall struct {
	Fun  string `json:"fun"`
	Args []any  `json:"args"`
}

// shellBed is a minion whose file_roots have a file for each context of [shellCommands].
type shellBed struct {
	dir   string
	calls []shellCall
}

func newShellBed(t *testing.T, safe bool) *shellBed {
	t.Helper()
	dir, err := os.MkdirTemp("", "sh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &shellBed{dir: dir}
	conf := fmt.Sprintf("id: m1\nroot_dir: %[1]s\nfile_client: local\nfile_roots: {base: [%[1]s/salt]}\nmodule_dirs: [%[1]s/modules]\nuser: root\ncmd_safe: %[2]t\n"+
		"cmd_blacklist_glob: ['echo black*']\nlog_level: quiet\n", dir, safe)
	b.write(t, "minion", conf)
	b.write(t, "work/one1", "")
	b.write(t, "work/tool", "#!/bin/sh\necho tool $1\n")
	b.write(t, "home/none", "")
	if err := os.Chmod(filepath.Join(dir, "work", "tool"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.plan(t)
	return b
}

func (b *shellBed) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(b.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// plan lists the calls and writes the files that they name.
func (b *shellBed) plan(t *testing.T) {
	t.Helper()
	states := value.NewMap()
	add := func(id, fun string, args ...any) { states.Set(id, value.NewMap(fun, args)) }
	black := shellCommand{fun: "cmd.run", cmd: "echo black; echo white"}
	for i, c := range append(shellCommands(), black) {
		kwargs := value.NewMap("cwd", filepath.Join(b.dir, "work"))
		c.kwargs.Range(func(k, v any) bool { kwargs.Set(k.(string), v); return true })
		direct := kwargs.Clone()
		direct.Set("__kwarg__", true)
		b.calls = append(b.calls, shellCall{c.fun, []any{c.cmd, direct}})

		sls := fmt.Sprintf("#!jinja|yaml\nx: {test.nop: [{v: {{ salt['%s'](%s, **%s)|json }}}]}\n", c.fun, modules.PyRepr(c.cmd), modules.PyRepr(kwargs))
		b.write(t, fmt.Sprintf("salt/t%d.sls", i), sls)
		b.calls = append(b.calls, shellCall{"state.show_sls", []any{fmt.Sprintf("t%d", i)}})

		args := []any{value.NewMap("cmd", c.cmd)}
		kwargs.Range(func(k, v any) bool { args = append(args, value.NewMap(k, v)); return true })
		add(fmt.Sprintf("module %d", i), "module.run", value.NewMap(c.fun, args))

		if line, ok := c.cmd.(string); ok && c.kwargs.Len() == 0 && !strings.ContainsAny(line, "\"\\\n") {
			slot := fmt.Sprintf(`__slot__:salt:%s("%s", cwd=%s/work)`, c.fun, line, b.dir)
			if slices.Contains([]string{"cmd.run", "cmd.shell", "cmd.run_stdout"}, c.fun) { // the others return no text
				add(fmt.Sprintf("slot %d", i), "test.show_notification", value.NewMap("text", slot))
			}
			if c.fun == "cmd.run" {
				add(fmt.Sprintf("state %d", i), "cmd.run", value.NewMap("name", line), value.NewMap("cwd", filepath.Join(b.dir, "work")))
			}
			fun := value.NewMap("fun", c.fun, "cmd", line, "cwd", filepath.Join(b.dir, "work"))
			add(fmt.Sprintf("onlyif fun %d", i), "test.nop", value.NewMap("onlyif", []any{fun}))
			add(fmt.Sprintf("unless fun %d", i), "test.nop", value.NewMap("unless", []any{fun}))
		}
	}
	for i, c := range shellConditions {
		for _, kind := range []string{"onlyif", "unless", "check_cmd"} {
			add(fmt.Sprintf("%s %d", kind, i), "test.nop", value.NewMap(kind, c))
		}
	}
	sls, err := json.Marshal(value.Plain(states))
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "salt/all.sls", "#!yaml\n"+string(sls)+"\n")
	b.calls = append(b.calls, shellCall{"state.apply", []any{"all"}})
	for _, line := range []string{"echo x | wc -c", "echo black; echo white"} {
		b.calls = append(b.calls, shellCall{"test.try", []any{value.NewMap("__kwarg__", true, "module", "cmd.run", "cmd", line, "return_try_exception", true)}})
	}
}

// key identifies a call in the answers.
func (b *shellBed) key(t *testing.T, i int, c shellCall) string {
	t.Helper()
	args := []any{}
	for _, a := range c.Args {
		args = append(args, value.Plain(a))
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return b.plain(fmt.Sprintf("%03d %s %s", i, c.Fun, raw))
}

func (b *shellBed) plain(s string) string { return strings.ReplaceAll(s, b.dir, "@DIR@") }

// digest returns the part of an answer that is the same in each run.
func (b *shellBed) digest(v any) any {
	switch v := v.(type) {
	case string:
		for _, sign := range []string{"An exception occurred in this state", "threw an exception", "Rendering SLS", "is not permitted"} {
			if strings.Contains(v, sign) {
				return "!error"
			}
		}
		return b.plain(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = b.digest(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if !slices.Contains([]string{"pid", "start_time", "duration", "__run_num__", "__env__", "__sls__", "__id__", "name"}, k) {
				out[b.plain(k)] = b.digest(e)
			}
		}
		return out
	}
	return v
}
