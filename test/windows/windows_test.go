package windows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/mom/momtest"
)

func TestMain(m *testing.M) { momtest.Trees(m) }

// id is the id of the minion.
const id = "win-1"

// site is a master of this system with a minion under Wine.
type site struct {
	t    *testing.T
	conf string // of the master
	wine *wine
}

// newSite starts a master.
func newSite(t *testing.T, w *wine) *site {
	t.Helper()
	dir, err := os.MkdirTemp("", "mom")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	states := filepath.Join(dir, "states")
	for name, text := range map[string]string{
		"hello.txt": "hello from salt://\n",
		"app.sls": `{% set dir = 'C:\\app' %}
folder:
  file.directory:
    - name: {{ dir }}
hello:
  file.managed:
    - name: {{ dir }}\hello.txt
    - source: salt://hello.txt
    - require: [{file: folder}]
settings:
  file.managed:
    - name: {{ dir }}\settings.ini
    - mode: '0600'
    - contents: "os = {{ grains.os_family }}"
run:
  cmd.run:
    - name: echo done> {{ dir }}\done.txt
    - creates: {{ dir }}\done.txt
`,
	} {
		if err := os.MkdirAll(states, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(states, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := localcluster.Plant(dir, localcluster.Spec{ID: "top", Master: "file_roots: {base: [" + states + "]}\n"})
	if err != nil {
		t.Fatal(err)
	}
	top := g.Top()
	cmd := momtest.Process(t, "mom", "master", "-c", top.ConfDir, "-l", "info")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("master:\n%s", &log)
		}
	})
	w.write(t, `salt\conf\minion`, fmt.Sprintf("id: %s\nmaster: 127.0.0.1\nmaster_port: %d\nacceptance_wait_time: 1\nrecon_default: 100\nrecon_max: 1000\n", id, top.RetPort))
	return &site{t: t, conf: top.ConfDir, wine: w}
}

// salt runs a command of the master's host and returns its output.
func (s *site) salt(words ...string) (string, error) {
	s.t.Helper()
	cmd := momtest.Process(s.t, append([]string{words[0], "-c", s.conf}, words[1:]...)...)
	out, err := cmd.Output()
	return string(out), err
}

// call calls a function of the minion and returns its result.
func (s *site) call(words ...string) any {
	s.t.Helper()
	out, err := s.salt(append([]string{"salt", "--out=json", "--static", "-t", "120", id}, words...)...)
	var got map[string]any
	if jsonErr := json.Unmarshal([]byte(out), &got); jsonErr != nil || got[id] == nil {
		s.t.Fatalf("%q: %v, printed %s", words, err, out)
	}
	return got[id]
}

// A minion under Wine signs in, does what Salt's minions do, and is replaced in place.
func TestMinion(t *testing.T) {
	w := newWine(t)
	w.program(t, `salt\bin\mom.exe`, "1.0.0")
	s := newSite(t, w)
	exe := `C:\salt\bin\mom.exe`
	m := w.start(t, exe)
	waiting.Within(t, patience, "the minion's key", func() bool {
		_, err := s.salt("salt-key", "-y", "-a", id)
		out, _ := s.salt("salt-key", "-l", "acc")
		return err == nil && strings.Contains(out, id)
	})
	ready := func() {
		t.Helper()
		waiting.Within(t, patience, "an answer of the minion", func() bool {
			out, err := s.salt("salt", "--out=json", "--static", id, "test.ping")
			return err == nil && strings.Contains(out, "true")
		})
	}
	ready()
	t.Run("commands", s.commands)
	t.Run("grains", s.grains)
	t.Run("states", s.states)
	t.Run("killed job", s.killedJob)
	t.Run("local call", func(t *testing.T) {
		out, err := w.run(t, exe, "salt-call", "--local", "--out=json", "--out-indent=-1", "-l", "quiet", "test.ping")
		if err != nil || strings.TrimSpace(out) != `{"local": true}` {
			t.Errorf("%v, printed %q", err, out)
		}
	})
	t.Run("roles of a master", func(t *testing.T) {
		for _, role := range []string{"master", "syndic"} {
			out, err := w.run(t, exe, role)
			if err == nil || !strings.Contains(out, "mom "+role+" does not run on Windows") {
				t.Errorf("%s: %v, printed %s", role, err, out)
			}
		}
	})

	// A program that runs cannot be overwritten, but it can be renamed.
	w.program(t, `salt\bin\new.exe`, "2.0.0")
	if got := s.call("cmd.run", `cd /d C:\salt\bin&& ren mom.exe old.exe&& ren new.exe mom.exe&& echo replaced`); got != "replaced" {
		t.Fatalf("replaced: %v", got)
	}
	m.stop()
	w.start(t, exe)
	ready()
	if got := s.call("grains.get", "momversion"); got != "2.0.0" {
		t.Errorf("after the upgrade: version %v", got)
	}
}

func (s *site) commands(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"cmd.run", "echo %OS%"}, "Windows_NT"},
		{[]string{"cmd.run", `echo "a b"& echo c`}, "\"a b\"\r\nc"},
		{[]string{"cmd.run", "cd", `cwd=C:\windows`}, `C:\windows`},
		{[]string{"cmd.run", "[cmd, /c, echo, listed]", "python_shell=False"}, "listed"},
	} {
		if got := s.call(c.words...); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
	if got := s.call("cmd.retcode", "exit 3"); got != 3.0 {
		t.Errorf("cmd.retcode: %v", got)
	}
}

func (s *site) grains(t *testing.T) {
	g, _ := s.call("grains.items").(map[string]any)
	for name, want := range map[string]any{"os": "Windows", "os_family": "Windows", "kernel": "Windows", "cpuarch": "AMD64", "id": id, "init": "Windows"} {
		if g[name] != want {
			t.Errorf("%s: %v, want %v", name, g[name], want)
		}
	}
	for _, name := range []string{"osrelease", "osfullname", "kernelrelease", "nodename", "host", "mem_total", "num_cpus", "ip4_interfaces", "path", "shell"} {
		if v := g[name]; v == nil || v == "" || v == 0.0 {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func (s *site) states(t *testing.T) {
	for _, run := range []string{"first", "second"} {
		results, _ := s.call("state.apply", "app").(map[string]any)
		if len(results) != 4 {
			t.Fatalf("%s: %v", run, results)
		}
		for name, r := range results {
			r, _ := r.(map[string]any)
			changes, _ := r["changes"].(map[string]any)
			if r["result"] != true || (len(changes) > 0) != (run == "first") {
				t.Errorf("%s run, %s: %v", run, name, r)
			}
		}
	}
	for name, want := range map[string]string{"hello.txt": "hello from salt://\n", "settings.ini": "os = Windows\n"} {
		if b, err := os.ReadFile(s.wine.path(`app\` + name)); err != nil || strings.ReplaceAll(string(b), "\r\n", "\n") != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// A killed job takes the processes along that its command started.
func (s *site) killedJob(t *testing.T) {
	mark := fmt.Sprint(time.Now().UnixNano()%1e8 + 1e8)
	out, err := s.salt("salt", "--async", "--out=json", id, "cmd.run", `cmd /c "cmd /c ping -n `+mark+` 127.0.0.1"`)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	waiting.Within(t, patience, "the command of the job", func() bool { return len(processesWith(mark)) >= 2 })
	jobs, _ := s.call("saltutil.running").([]any)
	jid := ""
	for _, j := range jobs {
		if j, ok := j.(map[string]any); ok && strings.Contains(fmt.Sprint(j["arg"]), mark) {
			jid, _ = j["jid"].(string)
		}
	}
	if jid == "" {
		t.Fatalf("running: %v", jobs)
	}
	s.call("saltutil.kill_job", jid)
	waiting.Within(t, patience, "the end of the processes", func() bool { return len(processesWith(mark)) == 0 })
}

// processesWith returns the processes whose command line contains a text. Those of Wine are
// processes of this system; commands of the master's host end before.
func processesWith(text string) []string {
	var out []string
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(text)) {
			out = append(out, string(b))
		}
	}
	return out
}
