package saltcall

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/saltrun"
)

const callUsage = "Usage: salt-call [options] <function> [arguments]\n\nsalt-call: error: "

// loneMinion returns the configuration of a minion without a master.
func loneMinion(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	conf := "id: web-01\nroot_dir: " + dir + "\ngrains:\n  role: web\n"
	if err := os.WriteFile(filepath.Join(dir, "minion"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCallLocal(t *testing.T) {
	dir := loneMinion(t)
	for _, c := range []struct {
		name, in string
		args     []string
		want     momtest.Ran
	}{
		{"ping", "", []string{"test.ping"}, momtest.Ended(0, "local:\n    True\n", "")},
		{"json", "", []string{"test.ping", "--out=json"}, momtest.Ended(0, "{\n    \"local\": true\n}\n", "")},
		{"txt", "", []string{"test.ping", "--out=txt"}, momtest.Ended(0, "local: True\n", "")},
		{"yaml", "", []string{"test.ping", "--out=yaml"}, momtest.Ended(0, "local: true\n", "")},
		{"quiet", "", []string{"test.ping", "--out=quiet"}, momtest.Ended(0, "", "")},
		{"values", "", []string{"test.ping", "--out=newline_values_only"}, momtest.Ended(0, "True\n", "")},
		{"false", "", []string{"test.false"}, momtest.Ended(0, "local:\n    False\n", "")},
		{"failure", "", []string{"cmd.run", "exit 3", "-l", "quiet"}, momtest.Ended(1, "local:\n", "")},
		{"failure passed on", "", []string{"cmd.run", "exit 3", "-l", "quiet", "--retcode-passthrough"}, momtest.Ended(3, "local:\n", "")},
		{"retcode", "", []string{"test.retcode", "7"}, momtest.Ended(1, "local:\n    True\n", "")},
		{"retcode passed on", "", []string{"test.retcode", "7", "--retcode-p"}, momtest.Ended(7, "local:\n    True\n", "")},
		{"unknown", "", []string{"no.such", "-l", "quiet"}, momtest.Ended(255, "", "'no.such' is not available.\n")},
		{
			"half a name", "",
			[]string{"test.ech", "-l", "quiet", "--out=json", "--out-indent=-1"},
			momtest.Ended(1, `{"local": {"test.echo": "\nReturn the text that was given.\n\nCLI Example:\n\n    salt '*' test.echo 'hello there'\n", "test.ech": "'test.ech' is not available."}}`+"\n", ""),
		},
		{"wrong arguments", "", []string{"test.sleep", "-l", "quiet"}, momtest.Ended(1, "", "Passed invalid arguments to test.sleep: sleep() missing 1 required positional argument: 'length'\n")},
		{"exception", "", []string{"test.exception", "boom", "-l", "quiet"}, momtest.Ended(1, "", "The minion function caused an exception: Exception: boom\n")},
		{"arguments", "", []string{"test.arg", "1", "[2]", "k=v", "-3", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"local\": {\"args\": [1, [2], -3], \"kwargs\": {\"k\": \"v\"}}}\n", "")},
		{"no parse", "", []string{"test.kwarg", "--no-parse=a", "a=01", "b=01", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"local\": {\"a\": \"01\", \"b\": 1}}\n", "")},
		{"standard input", "5\nx y\n", []string{"--args-stdin", "test.arg", "--out=json", "--out-indent=-1"}, momtest.Ended(0, "{\"local\": {\"args\": [5, \"x y\"], \"kwargs\": {}}}\n", "")},
		{"grain of the file", "", []string{"grains.get", "role"}, momtest.Ended(0, "local:\n    web\n", "")},
		{"other id", "", []string{"--id=other", "grains.get", "id"}, momtest.Ended(0, "local:\n    other\n", "")},
		{"no grains", "", []string{"--skip-grains", "grains.items"}, momtest.Ended(0, "local:\n    ----------\n    id:\n        web-01\n", "")},
		{"empty pillar", "", []string{"pillar.items"}, momtest.Ended(0, "local:\n    ----------\n", "")},
		{"other cache", "", []string{"--cachedir=" + dir + "/other", "config.get", "cachedir"}, momtest.Ended(0, "local:\n    "+dir+"/other\n", "")},
		{"no function", "", nil, momtest.Ended(64, "", callUsage+"Requires function, --grains or --doc\n")},
		{"grains of what", "", []string{"-g", "x"}, momtest.Ended(64, "", callUsage+"-g/--grains does not accept any arguments\n")},
		{"two documents", "", []string{"-d", "x", "y"}, momtest.Ended(64, "", callUsage+"You can only get documentation for one method at one time\n")},
		{"file root", "", []string{"--file-root=/srv", "config.get", "file_roots:base"}, momtest.Ended(0, "local:\n    - /srv\n", "")},
		{"states of nobody", "", []string{"--states-dir=" + dir, "test.ping"}, momtest.Ended(0, "local:\n    True\n", "")},
		{"no such returner", "", []string{"test.ping", "--return=nosuch"}, momtest.Ended(1, "local:\n    True\n", "[ERROR   ] The result was not delivered everywhere: open returner \"nosuch\": unknown returner; use one of: mysql, pgjsonb, postgres\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := momtest.Run(Command(), c.in, append([]string{"-c", dir, "--local"}, c.args...)...)
			if d := cmp.Diff(c.want.String(), got.String()); d != "" {
				t.Errorf("salt-call %q (-want +got):\n%s", c.args, d)
			}
		})
	}
}

// Python state modules are listed one by one: their states are not found.
func TestCall_StatesDir(t *testing.T) {
	dir, states := loneMinion(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(states, "mine.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := momtest.Run(Command(), "", "-c", dir, "--local", "--states-dir", states, "--states-dir", states+"/no", "test.ping")
	if got.Code != 0 || !strings.Contains(got.Err, states+"/mine.py") || !strings.Contains(got.Err, states+"/no") {
		t.Errorf("%v", got)
	}
}

// A call for a reaction uses no shell, and programs that it starts do not inherit the variable.
func TestCall_Indirect(t *testing.T) {
	dir := loneMinion(t)
	for line, want := range map[string]string{"echo a | cat": "a | cat", "sh -c 'echo ${MOM_CALL_INDIRECT:-none}'": "none"} {
		t.Setenv(IndirectEnv, "1")
		args := []string{"-c", dir, "--local", "--out=txt", "-l", "quiet", "--", "cmd.run", line}
		if d := cmp.Diff(momtest.Ended(0, "local: "+want+"\n", ""), momtest.Run(Command(), "", args...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", line, d)
		}
	}
}

func TestCallShows(t *testing.T) {
	dir := loneMinion(t)
	var doc struct{ Local map[string]any }
	got := momtest.Run(Command(), "", "-c", dir, "-g", "--out=json")
	if err := json.Unmarshal([]byte(got.Out), &doc); err != nil || doc.Local["role"] != "web" || doc.Local["id"] != "web-01" || doc.Local["kernel"] == nil {
		t.Errorf("grains: %v: %v", err, got)
	}
	got = momtest.Run(Command(), "", "-c", dir, "-d", "test.ping")
	if got.Code != 0 || !strings.HasPrefix(got.Out, "test.ping:\n") {
		t.Errorf("docs: %v", got)
	}
	got = momtest.Run(Command(), "", "-c", dir, "--local", "test.echo", "x", "--metadata", "--out=json", "--out-indent=-1")
	got.Out = momtest.JID.ReplaceAllString(got.Out, "JID")
	want := momtest.Ended(0, "{\"local\": {\"jid\": \"JID\", \"return\": \"x\", \"retcode\": 0, \"id\": \"web-01\", \"fun\": \"test.echo\", \"fun_args\": [\"x\"]}}\n", "")
	if got != want {
		t.Errorf("metadata: %v", got)
	}
}

// TestCallMaster: a call against a master is in the master's job cache.
func TestCallMaster(t *testing.T) {
	tr := momtest.Shared(t)
	got := tr.Run(Command(), "web-01", "test.echo", "from the minion", "--set-metadata={ticket: 8}")
	if want := momtest.Ended(0, "local:\n    from the minion\n", ""); got != want {
		t.Fatal(got)
	}
	if got := tr.Run(Command(), "web-01", "test.echo", "not sent", "--no-return-event"); got.Code != 0 {
		t.Fatal(got)
	}
	look := tr.Run(saltrun.Command(), "syndic-a", "jobs.list_jobs", "search_function=test.echo", "search_target=web-01", "--out=json")
	var jobs map[string]struct {
		Function  string
		Arguments []any
	}
	if err := json.Unmarshal([]byte(look.Out), &jobs); err != nil {
		t.Fatalf("%v: %v", err, look)
	}
	found := 0
	for _, j := range jobs {
		for _, a := range j.Arguments {
			switch a {
			case "from the minion":
				found++
			case "not sent":
				t.Errorf("sent to the master: %v", j)
			}
		}
	}
	if found != 1 {
		t.Errorf("the call is in the job cache %d times: %v", found, look)
	}
	if got := tr.Run(Command(), "web-01", "--master=127.0.0.1:1", "-t", "1", "test.ping", "-l", "quiet"); got.Code != 1 || got.Out != "" || !strings.Contains(got.Err, "127.0.0.1:1") {
		t.Errorf("no master: %v", got)
	}
}

// TestCallStopped: an interrupted call stops the programs that it started.
func TestCallStopped(t *testing.T) {
	dir := loneMinion(t)
	file := filepath.Join(dir, "started")
	cmd := momtest.Process(t, "salt-call", "-c", dir, "--local", "cmd.run", "touch "+file+"; sleep 60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waiting.Within(t, momtest.Patience, "the command has started", func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d", code)
	}
}
