package pillar

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) {
	// The clock of the backtracking engine stops on its own shortly after the last expression.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

// engine returns the engine of a master.
func engine(l render.Loader, f render.Functions) (Renderer, error) {
	return render.New(render.Options{Loader: l, Functions: f, Read: ReadSource})
}

// rig is a compiler over files of the test.
type rig struct {
	t   testing.TB
	dir string
	cfg *config.Master
	c   *Compiler
	log logged
	now time.Time
}

type logged struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *logged) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

// newRig returns a compiler with an environment base and these files. Its clock is far ahead, so
// that all files count as settled.
func newRig(t testing.TB, files map[string]string, change ...func(*config.Master)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), cfg: config.DefaultMaster(), now: time.Now().Add(time.Hour)}
	r.cfg.Cachedir = filepath.Join(r.dir, "cache")
	r.cfg.PillarRoots = map[string]any{"base": []any{filepath.Join(r.dir, "base")}}
	for name, text := range files {
		r.file(name, text)
	}
	for _, f := range change {
		f(r.cfg)
	}
	r.open()
	return r
}

func (r *rig) open() {
	r.t.Helper()
	var err error
	r.c, err = New(Options{
		Config: r.cfg, Renderer: engine, Log: slog.New(slog.NewTextHandler(&r.log, nil)), Now: func() time.Time { return r.now },
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// file writes a file of an environment, by default base.
func (r *rig) file(name, text string) {
	r.t.Helper()
	if name[0] != '/' {
		name = "/base/" + name
	}
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// dev adds an environment.
func dev(r *config.Master) {
	base := r.PillarRoots["base"].([]any)[0].(string)
	r.PillarRoots["dev"] = []any{filepath.Join(filepath.Dir(base), "dev")}
}

// grains returns the grains of the test minion m1.
func grains() *value.Map { return value.NewMap("id", "m1", "role", "web", "os", "Debian") }

// get compiles the pillar of m1.
func (r *rig) get(change ...func(*Request)) *value.Map {
	r.t.Helper()
	q := Request{ID: "m1", Grains: grains()}
	for _, f := range change {
		f(&q)
	}
	p, err := r.c.Compile(r.t.Context(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// want compares a pillar with one as JSON.
func (r *rig) want(what string, p *value.Map, want string) {
	r.t.Helper()
	if got := asJSON(r.t, p); got != canonical(r.t, want) {
		r.t.Errorf("%s:\n%s, want\n%s", what, got, want)
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(value.Plain(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func canonical(t testing.TB, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// texts returns the pillar with bytes converted to strings.
func texts(m *value.Map) *value.Map {
	out := value.NewMap()
	m.Range(func(k, v any) bool {
		switch x := v.(type) {
		case []byte:
			v = string(x)
		case *value.Map:
			v = texts(x)
		}
		out.Set(k, v)
		return true
	})
	return out
}
