package modules

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/grains"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) {
	// regexp2 keeps a clock running for a while after a match with a deadline.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

// fakeEnv is a minion without a daemon.
type fakeEnv struct {
	options, grains, pillar *value.Map
	masters                 []MasterStatus
	jobs                    *Table
	compile                 func(PillarOptions) (*value.Map, error)
	fireErr, pingErr        error
	ask                     func(load *value.Map) (any, error)
	manage                  func(data *value.Map) (*value.Map, error)
	files                   *fileclient.Client
	external                *external.Modules

	mu      sync.Mutex
	log     bytes.Buffer
	fired   []string // "master TAG" and "local TAG"
	data    []any
	refresh []string
}

func newEnv() *fakeEnv {
	return &fakeEnv{
		options: value.NewMap("id", "web-01", "hash_type", "sha256", "backup_mode", "minion"),
		grains: value.NewMap("id", "web-01", "os", "Debian", "serialnumber", "ABCD1234", "fqdn", "web-01.example.com",
			"tags", []any{"a", "b"}, "nest", value.NewMap("k", "vweb", "list", []any{"x", value.NewMap("y", int64(1))}),
			"nothing", nil, "num", int64(3)),
		pillar: value.NewMap("who", "people", "deep", value.NewMap("key", "value", "n", int64(1)), "list", []any{"p"}),
		jobs:   &Table{},
	}
}

func (e *fakeEnv) Option(name string) any  { v, _ := e.options.Get(name); return v }
func (e *fakeEnv) Options() *value.Map     { return e.options }
func (e *fakeEnv) Grains() *value.Map      { return e.grains }
func (e *fakeEnv) Pillar() *value.Map      { return e.pillar }
func (e *fakeEnv) Jobs() JobTable          { return e.jobs }
func (e *fakeEnv) Masters() []MasterStatus { return e.masters }
func (e *fakeEnv) RefreshPillar(ctx context.Context) error {
	e.note("pillar")
	return ctx.Err()
}

// RefreshGrains merges the static grains over the current ones, as the daemon does.
func (e *fakeEnv) RefreshGrains(_ context.Context, send bool) error {
	e.note("grains")
	if send {
		e.note("send")
	}
	if dir := confDir(e); dir != "" {
		file, err := grains.ReadFile(dir)
		if err != nil {
			return err
		}
		e.grains = e.grains.Clone()
		file.Range(func(k, v any) bool {
			e.grains.Set(k, v)
			return true
		})
	}
	return nil
}

func (e *fakeEnv) CompilePillar(_ context.Context, o PillarOptions) (*value.Map, error) {
	if e.compile == nil {
		return e.pillar, nil
	}
	return e.compile(o)
}

func (e *fakeEnv) Fire(_ context.Context, tag string, data any) error {
	return e.event("master "+tag, data)
}

func (e *fakeEnv) FireAll(ctx context.Context, tag string, data any) error {
	return e.Fire(ctx, tag, data)
}

// Ask is answered by the test.
func (e *fakeEnv) Ask(_ context.Context, load *value.Map) (any, error) {
	if e.ask == nil {
		return nil, errors.New("no master")
	}
	return e.ask(load)
}

func (e *fakeEnv) Files() *fileclient.Client {
	if e.files == nil {
		return fileclient.New(fileclient.Options{})
	}
	return e.files
}

// ManageSchedule is answered by the test.
func (e *fakeEnv) ManageSchedule(_ context.Context, data *value.Map) (*value.Map, error) {
	if e.manage == nil {
		return nil, errors.New("no daemon")
	}
	return e.manage(data)
}

func (e *fakeEnv) External() *external.Modules { return e.external }

func (e *fakeEnv) FireLocal(tag string, data any) error { return e.event("local "+tag, data) }

func (e *fakeEnv) event(line string, data any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fired, e.data = append(e.fired, line), append(e.data, data)
	return e.fireErr
}

func (e *fakeEnv) note(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refresh = append(e.refresh, what)
}

func (e *fakeEnv) PingMaster(_ context.Context, master string) error {
	if master == "" {
		return errors.New("no master named")
	}
	return e.pingErr
}

func (e *fakeEnv) Log() *slog.Logger {
	return slog.New(slog.NewTextHandler(lockedWriter{e}, &slog.HandlerOptions{Level: slog.LevelDebug - 8}))
}

func (e *fakeEnv) logged() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.String()
}

type lockedWriter struct{ e *fakeEnv }

func (w lockedWriter) Write(b []byte) (int, error) {
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	return w.e.log.Write(b)
}

// withConf gives the minion a configuration folder.
func (e *fakeEnv) withConf(t *testing.T) string {
	dir := t.TempDir()
	e.options.Set("conf_file", filepath.Join(dir, "minion"))
	return dir
}

// kw returns the keyword part of an arg list.
func kw(kv ...any) *value.Map {
	m := value.NewMap(kv...)
	m.Set(kwargMarker, true)
	return m
}

// run executes one function as a user's job.
func run(t *testing.T, env Env, fun string, args ...any) Result {
	t.Helper()
	return Execute(t.Context(), env, Invocation{Fun: fun, Args: args, JID: "20240101000000000001", Direct: true})
}

// result runs a function that has to succeed and returns its plain value.
func result(t *testing.T, env Env, fun string, args ...any) any {
	t.Helper()
	r := run(t, env, fun, args...)
	if r.Err != nil {
		t.Fatalf("%s: %v", fun, r.Value)
	}
	return plainValue(r.Value)
}

type m = map[string]any

func plainValue(v any) any {
	switch v := v.(type) {
	case *value.Map:
		out := m{}
		v.Range(func(k, e any) bool {
			out[PyStr(k)] = plainValue(e)
			return true
		})
		return out
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = plainValue(v[i])
		}
		return l
	case int:
		return int64(v)
	}
	return v
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// callCase is one row of a table of calls.
type callCase struct {
	fun  string
	args []any
	want any
}

func calls(t *testing.T, env Env, tests []callCase) {
	t.Helper()
	for _, tt := range tests {
		same(t, tt.fun+pyTuple(tt.args), plainValue(run(t, env, tt.fun, tt.args...).Value), tt.want)
	}
}
