package pillar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Attack: a minion sends another minion's id in its grains (CVE-2022-22934 and similar). Templates
// and targets see the id of its key.
func TestHostile_IDInGrains(t *testing.T) {
	r := newRig(t, map[string]string{
		"top.sls":    "{base: {'db1': [secret], 'G@id:db1': [secret], '*': [own]}}",
		"secret.sls": "secret: of db1",
		"own.sls":    "id: {{ grains['id'] }}\n{% if grains.id == 'db1' %}secret: of db1{% endif %}\n{% include 'keys/' ~ grains.id %}\n",
		"keys/db1":   "key: of db1",
		"keys/m1":    "key: of m1",
	})
	p := r.get(func(q *Request) { q.Grains = value.NewMap("id", "db1", "host", "db1") })
	r.want("the grains lie", p, `{"id": "m1", "key": "of m1"}`)
}

// Attack: paths outside pillar_roots, built by templates from grains.
func TestHostile_Paths(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{% include grains.role %}\n", "ok": "x: 1", "/secret": "secret: 1"})
	for _, path := range []string{"../secret", "/etc/passwd", "x/../../secret", filepath.Join(r.dir, "secret"), "..\\secret", "a\x00b", ".."} {
		p := r.get(func(q *Request) { q.Grains.Set("role", path) })
		if p.Has("secret") || !strings.Contains(asJSON(t, p), "Rendering SLS 'a' failed") {
			t.Errorf("%q: %s", path, asJSON(t, p))
		}
		// The engine refuses most of these itself. The files are protected without it, too.
		if data, err := r.c.roots.Open(t.Context(), "base", path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is opened: %q, %v", path, data, err)
		}
	}
	r.want("a file that is there", r.get(func(q *Request) { q.Grains.Set("role", "ok") }), `{"x": 1}`)
	r = newRig(t, map[string]string{"/any/top.sls": "{base: {'*': [a]}}", "/other/top.sls": "{'*': [x]}"}, func(c *config.Master) {
		dir := filepath.Dir(c.PillarRoots["base"].([]any)[0].(string))
		c.PillarRoots = map[string]any{"__env__": []any{filepath.Join(dir, "any", "__env__")}}
	})
	for _, env := range []string{"../secret", "..", "/etc", "a/../../secret"} {
		if got := r.c.roots.For(env).Folders[env]; got != nil {
			t.Errorf("environment %s has %v", env, got)
		}
	}
}

// Include cycles end, and each SLS is in the pillar once.
func TestHostile_Circles(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "{include: [b, a], a: 1}", "b.sls": "{include: [c], b: 1}", "c.sls": "{include: [a, b], c: 1}"})
	r.want("a circle", r.get(), `{"a": 1, "b": 1, "c": 1}`)
	if err := os.Symlink(filepath.Join(r.dir, "base"), filepath.Join(r.dir, "base", "loop")); err != nil {
		t.Fatal(err)
	}
	r.want("a link to itself", r.get(), `{"a": 1, "b": 1, "c": 1}`)
}

// An endless template is stopped and the pillar contains an error; so are bombs of all kinds.
func TestHostile_Bombs(t *testing.T) {
	var wide strings.Builder
	for i := range 12 {
		fmt.Fprintf(&wide, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	for name, sls := range map[string]string{
		"a loop":            "{% for i in range(1000000000) %}{% for j in range(1000000000) %}{% endfor %}{% endfor %}",
		"YAML":              "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + wide.String(),
		"a large file":      strings.Repeat("# padding of a line that is long enough\n", 17<<20/40),
		"a long text":       "x: \"{{ 'x' * 1000000000 }}\"",
		"a macro of itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"NUL":               "a: \x00",
		"deep":              strings.Repeat("[", 100_000),
	} {
		r := newRig(t, map[string]string{"top.sls": topAB, "a.sls": sls, "b.sls": "b: 1"}, func(c *config.Master) { c.PillarTimeout = 10 * time.Second })
		began := time.Now()
		p := r.get()
		if !p.Has("_errors") || time.Since(began) > 20*time.Second {
			t.Errorf("%s: after %v %.300s", name, time.Since(began), asJSON(t, p))
		}
	}
}

// An endless ext_pillar program is stopped after pillar_timeout, and a partial result does not pass
// for the whole pillar.
func TestHostile_Late(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": topAB, "a.sls": "s: a", "b.sls": "b: 1"}, func(c *config.Master) {
		c.PillarTimeout, c.ExtPillar = time.Second, []any{map[string]any{"cmd_yaml": "sleep 600; echo 'k: 1'"}}
	})
	p := r.get()
	if !strings.Contains(asJSON(t, p), "was not compiled within 1s (pillar_timeout)") || p.Has("s") {
		t.Errorf("%s", asJSON(t, p))
	}
}

func many(n int) *value.Map {
	m := value.NewMap()
	for i := range n {
		m.Set(fmt.Sprint("source", i), 1)
	}
	return m
}

// Attack: a minion chooses the arguments of sources that act with the rights of the master, even if
// the configuration allows it.
func TestHostile_OnDemand(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	r := newRig(t, nil, func(c *config.Master) {
		c.OnDemandExtPillar = []string{"cmd_yaml", "file_tree", "http_json", "mysql", "stack", "nodegroups"}
		c.Nodegroups = map[string]any{"webs": "G@role:web"}
	})
	for name, conf := range map[string]any{
		"cmd_yaml": "touch " + mark, "file_tree": value.NewMap("root_dir", "/etc"), "stack": "/etc/passwd", "http_json": "http://127.0.0.1:1/", "git": "x",
	} {
		p := r.get(func(q *Request) { q.Ext = value.NewMap(name, conf) })
		if _, err := os.Stat(mark); err == nil || p.Len() != 1 || !p.Has("_errors") {
			t.Errorf("%s: %v, %s", name, err, asJSON(t, p))
		}
	}
	r.want("without power", r.get(func(q *Request) { q.Ext = value.NewMap("nodegroups", value.NewMap("pillar_name", "in")) }), `{"in": ["webs"]}`)
	for what, ext := range map[string]*value.Map{"a long name": value.NewMap(strings.Repeat("x", 1<<20), 1), "many": many(1000)} {
		was := len(r.log.text())
		p := r.get(func(q *Request) { q.Ext = ext })
		if n := len(r.log.text()) - was; n > 2000 || len(asJSON(t, p)) > 2000 || !p.Has("_errors") {
			t.Errorf("%s: %d bytes in the log, %.200s", what, n, asJSON(t, p))
		}
	}
	r.want("no mapping", r.get(func(q *Request) { q.Ext = "cmd_yaml" }), `{"_errors": ["On-demand pillar is not formatted as a dictionary"]}`)
}

// Attack: an id with shell syntax.
func TestHostile_IDInCommands(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	r := newRig(t, nil, func(c *config.Master) {
		c.ExtPillar = []any{map[string]any{"cmd_yaml": "echo id: %s"}, map[string]any{"cmd_json": "echo %s"}}
	})
	for _, id := range []string{"m1;touch " + mark, "$(touch " + mark + ")", "`x`", "a b", "-rf", "a'b", "a\nb"} {
		p := r.get(func(q *Request) { q.ID = id })
		if _, err := os.Stat(mark); err == nil || strings.Count(asJSON(t, p), "may not be part of a command") != 2 {
			t.Errorf("%q: %v, %s", id, err, asJSON(t, p))
		}
	}
}

// Requests beyond the limit are refused as busy and do not block others.
func TestCompile_Busy(t *testing.T) {
	r := newRig(t, nil, func(c *config.Master) { c.PillarWorkers = 1 })
	if !r.c.room.TryAcquire(1) {
		t.Fatal("no room")
	}
	r.c.waiting = make(chan struct{}) // nobody may wait
	if _, err := r.c.Compile(t.Context(), Request{ID: "m1"}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	r.c.room.Release(1)
}

// Attack: a minion names an environment that is a path. The list of a stack below __env__ would be
// a file that the minion pushed, whose templates run programs on the master.
func TestHostile_Environments(t *testing.T) {
	r := newRig(t, map[string]string{
		"/stacks/dev/stack.cfg": "a.yml\n", "/stacks/dev/a.yml": "k: dev\n", "/pushed/stack.cfg": "a.yml\n", "/pushed/a.yml": "k: evil\n",
	}, func(c *config.Master) {
		dir := filepath.Dir(c.Cachedir)
		c.ExtPillar = []any{map[string]any{"stack": map[string]any{"opts:pillarenv": map[string]any{"__env__": filepath.Join(dir, "stacks", "__env__", "stack.cfg")}}}}
	})
	r.want("an environment", r.get(func(q *Request) { q.Pillarenv = "dev" }), `{"k": "dev"}`)
	for _, env := range []string{"../pushed", "dev/../../pushed", "..", "/etc", "dev/.", strings.Repeat("x", 10_000), "a\x00b"} {
		for name, set := range map[string]func(*Request){
			"pillarenv": func(q *Request) { q.Pillarenv = env }, "saltenv": func(q *Request) { q.Saltenv = env },
		} {
			p := asJSON(t, r.get(set))
			if strings.Contains(p, "evil") || !strings.Contains(p, "is not an environment name") || len(p) > 1000 {
				t.Errorf("%s %.50q: %.300s", name, env, p)
			}
		}
	}
	if n := r.c.kept.m.Len(); n > 0 {
		t.Errorf("%d are kept", n)
	}
}

// held is a renderer that blocks for one minion.
type held struct {
	Renderer
	id   string
	goOn chan struct{}
}

func (h held) SLS(ctx context.Context, t render.Template, pipe string) (any, error) {
	if t.Vars.Map("grains").String("id") == h.id {
		<-h.goOn
	}
	return h.Renderer.SLS(ctx, t, pipe)
}

// Attack: a minion requests its pillar repeatedly, after making it expensive with its grains.
// Others get theirs.
func TestHostile_OneMinion(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}", "a.sls": "a: {{ grains.id }}"}, func(c *config.Master) { c.PillarWorkers = 3 })
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		c, err := New(Options{Config: r.cfg, Now: time.Now, Renderer: func(l render.Loader, f render.Functions) (Renderer, error) {
			e, err := engine(l, f)
			return held{e, "evil", goOn}, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		busy := 0
		var mu sync.Mutex
		for range 100 {
			wg.Go(func() {
				_, err := c.Compile(t.Context(), Request{ID: "evil", Grains: grains()})
				mu.Lock()
				defer mu.Unlock()
				if errors.Is(err, ErrBusy) {
					busy++
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if p, err := c.Compile(ctx, Request{ID: "m1", Grains: grains()}); err != nil || p.String("a") != "m1" {
			t.Errorf("another minion gets %v, %v", p, err)
		}
		close(goOn)
		wg.Wait()
		if busy != 100-2-64 {
			t.Errorf("%d are busy", busy)
		}
	})
}
