package scheduler

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/jobs"
	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/modules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a scheduler with masters that store what they get.
type stage struct {
	*Scheduler
	cfg *config.Minion

	mu      sync.Mutex
	masters []Master
	events  []string
	log     bytes.Buffer
}

type master struct {
	name string
	s    *stage

	mu   sync.Mutex
	got  []*wire.Map
	mine int
	fail error
}

func (m *master) Name() string     { return m.name }
func (m *master) Env() modules.Env { return &env{m: m} }

func (m *master) Push(_ string, load []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, err := wire.DecodeMap(load)
	if err == nil && m.fail == nil {
		m.got = append(m.got, v)
	}
	return errors.Join(err, m.fail)
}

func (m *master) returns() []*wire.Map {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*wire.Map{}, m.got...)
}

// mines counts the calls of the mine.
func (m *master) mines() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mine
}

// env is the environment of functions; no test calls the methods that it lacks.
type env struct {
	modules.Env
	m *master // nil: no master
}

func (e *env) Option(name string) any {
	switch name {
	case "id":
		return "m1"
	case "mine_functions":
		return map[string]any{"test.ping": []any{}}
	}
	return nil
}
func (e *env) External() *external.Modules { return nil }
func (e *env) Pillar() *wire.Map           { return wire.NewMap() }
func (e *env) Grains() *wire.Map           { return wire.NewMap() }
func (e *env) Log() *slog.Logger           { return slog.New(slog.DiscardHandler) }
func (e *env) Ask(_ context.Context, load *wire.Map) (any, error) {
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	if load.String("cmd") == "_mine" {
		e.m.mine++
	}
	return true, nil
}

func newStage(t *testing.T, option map[string]any, change func(*config.Minion)) *stage {
	t.Helper()
	dir := t.TempDir()
	cfg := config.DefaultMinion()
	cfg.ID, cfg.Dir, cfg.Cachedir, cfg.MineEnabled, cfg.Schedule = "m1", dir, filepath.Join(dir, "cache"), false, option
	if change != nil {
		change(cfg)
	}
	s := &stage{cfg: cfg}
	log := slog.New(slog.NewTextHandler(locked{s}, nil))
	j, err := jobs.New(jobs.Options{Config: cfg, Log: log, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.Scheduler = New(Options{
		Config: cfg, Jobs: j, Log: log, Env: func() modules.Env { return &env{} },
		Grains: func() *wire.Map { return wire.NewMap("whens", wire.NewMap("tea", "5:00pm")) },
		Fire: func(tag string, _ any) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, tag)
		},
		Masters: func() []Master {
			s.mu.Lock()
			defer s.mu.Unlock()
			return append([]Master{}, s.masters...)
		},
		Now: time.Now, Age: func() time.Duration { return time.Since(began) },
	})
	return s
}

type locked struct{ s *stage }

func (l locked) Write(b []byte) (int, error) {
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	return l.s.log.Write(b)
}

func (s *stage) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// join makes a master serve the minion.
func (s *stage) join(t *testing.T, name string) *master {
	m := &master{name: name, s: s}
	s.mu.Lock()
	s.masters = append(s.masters, m)
	s.mu.Unlock()
	s.Connected(t.Context(), m)
	return m
}

// ask sends a request to the scheduler.
func (s *stage) ask(t *testing.T, kv ...any) *wire.Map {
	t.Helper()
	m, err := s.Manage(wire.NewMap(kv...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// run lets the scheduler run for a time of the bubble it is in.
func (s *stage) run(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	time.Sleep(d)
	synctest.Wait()
	cancel()
	<-done
}

func job(kv ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

// Results go to each master, as with Salt's scheduler, under an id of the minion's own.
func TestScheduler_Returns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, job(
			"echo", job("function", "test.echo", "args", []any{"hello"}, "seconds", 10, "metadata", job("why", "that")),
			"kw", job("function", "test.kwarg", "kwargs", job("a", 1), "seconds", 10),
			"none", job("function", "no.such", "seconds", 10),
			"quiet", job("function", "test.ping", "seconds", 10, "return_job", false),
			"unkept", job("function", "test.ping", "seconds", 10, "return_job", "nocache"),
		), nil)
		a, b := s.join(t, "a"), s.join(t, "b")
		s.run(t, 11*time.Second)
		if len(a.returns()) != 4 || len(b.returns()) != 4 {
			t.Fatalf("%d and %d returns", len(a.returns()), len(b.returns()))
		}
		for _, r := range a.returns() {
			if r.String("cmd") != "_return" || r.String("id") != "m1" || r.String("tgt") != "m1" || r.String("tgt_type") != "glob" {
				t.Errorf("%#v", r)
			}
			own := r.String("mom_jid")
			if r.String("schedule") != "unkept" && (r.String("jid") != "req" || !jid.IsOwn(own, "m1")) {
				t.Errorf("%s has jid %s and %s", r.String("schedule"), r.String("jid"), own)
			}
			switch r.String("schedule") {
			case "echo":
				meta := r.Map("metadata")
				if r.String("return") != "hello" || !r.Bool("success") || r.Int("retcode") != 0 || len(r.List("fun_args")) != 1 ||
					meta.String("why") != "that" || meta.String("_TOS") != "+0000" || !strings.HasPrefix(meta.String("_TT"), "2000 January 01 Sat 00") {
					t.Errorf("%#v", r)
				}
			case "kw":
				if args, ok := r.List("fun_args")[0].(*wire.Map); !ok || args.Int("a") != 1 || args.Has("__kwarg__") {
					t.Errorf("%#v", r)
				}
			case "none":
				if r.Bool("success") || r.Int("retcode") != 254 || r.String("return") != "'no.such' is not available." {
					t.Errorf("%#v", r)
				}
			case "unkept":
				if r.String("jid") != "nocache" || r.Has("mom_jid") {
					t.Errorf("%#v", r)
				}
			default:
				t.Errorf("%#v", r)
			}
		}
	})
}

// Results of jobs that run before there is a master go to the first one that connects; no job
// runs then unless the configuration says so. If too many results wait, the oldest are dropped.
func TestScheduler_BeforeConnect(t *testing.T) {
	often := job("often", job("function", "test.ping", "seconds", 1))
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, often, nil)
		s.run(t, 5*time.Second)
		if strings.Contains(s.logged(), "Running") {
			t.Errorf("it runs without a master:\n%s", s.logged())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, often, func(c *config.Minion) { c.SchedulerBeforeConnect = true })
		s.run(t, 3500*time.Millisecond)
		for range maxHeld {
			s.push("x", wire.Raw{0x80}, nil)
		}
		m := s.join(t, "a")
		if n := len(m.returns()); n != maxHeld || m.returns()[0].Len() > 0 || !strings.Contains(s.logged(), "abandoned") {
			t.Errorf("%d returns, want the newest %d, and the log says\n%s", n, maxHeld, s.logged()[max(0, len(s.logged())-500):])
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, often, func(c *config.Minion) { c.MasterType = "disable" })
		s.run(t, 3*time.Second)
		if !strings.Contains(s.logged(), "Running scheduled job: often") || len(s.held) > 0 {
			t.Errorf("%d wait for a master that never comes, and the log says\n%s", len(s.held), s.logged())
		}
	})
}

// With an interval of 0 the mine is sent when a master connects, and never again.
func TestScheduler_MineAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, nil, func(c *config.Minion) { c.MineEnabled, c.MineInterval = true, 0 })
		a := s.join(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if n := a.mines(); n != 1 {
			t.Errorf("the mine was sent %d times", n)
		}
		cancel()
		<-done
	})
}

// Each master gets the mine when it connects, and all get it at each interval.
func TestScheduler_Mine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, nil, func(c *config.Minion) { c.MineEnabled, c.MineInterval = true, 2*time.Minute })
		a := s.join(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		counts := func() [2]int {
			synctest.Wait()
			b := 0
			if len(s.masters) > 1 {
				b = s.masters[1].(*master).mines()
			}
			return [2]int{a.mines(), b}
		}
		if got := counts(); got != [2]int{1, 0} {
			t.Errorf("at the start: %v", got)
		}
		time.Sleep(time.Minute)
		s.join(t, "b")
		if got := counts(); got != [2]int{1, 1} {
			t.Errorf("a second master comes: %v", got)
		}
		time.Sleep(3*time.Minute + time.Second)
		if got := counts(); got != [2]int{3, 3} {
			t.Errorf("after two intervals: %v", got)
		}
		if len(a.returns()) != 0 {
			t.Errorf("%d returns, and mine_return_job is off", len(a.returns()))
		}
		got := s.ask(t, "func", "list").Map("schedule").Map(mineJob)
		if got.Int("minutes") != 2 || got.String("function") != "mine.update" || !got.Bool("run_on_start") || got.Int("maxrunning") != 2 {
			t.Errorf("%#v", got)
		}
		s.ask(t, "func", "disable_job", "name", mineJob)
		c := s.join(t, "c")
		time.Sleep(10 * time.Minute)
		if got := counts(); got != [2]int{3, 3} || c.mines() != 0 {
			t.Errorf("it is off: %v, %d", got, c.mines())
		}
		cancel()
		<-done
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, nil, func(c *config.Minion) { c.MineEnabled, c.MineReturnJob = true, true })
		a := s.join(t, "a")
		if r := a.returns(); len(r) != 1 || r[0].String("fun") != "mine.update" || r[0].String("schedule") != mineJob || r[0].Int("retcode") != 0 {
			t.Errorf("mine_return_job: %#v", r)
		}
	})
}

// The pillar adds jobs, which only the pillar removes; whens of pillar and grains name dates.
func TestScheduler_Pillar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, job("own", job("function", "test.ping", "hours", 1)), nil)
		s.join(t, "a")
		s.run(t, time.Second)
		pillar := func(jobs *wire.Map, more ...any) {
			s.SetPillar(wire.NewMap(append([]any{"schedule", jobs}, more...)...))
		}
		pillar(wire.NewMap(
			"own", wire.NewMap("function", "test.false", "hours", 2), "more", wire.NewMap("function", "test.ping", "hours", 1, "splay", nil),
			"tea", wire.NewMap("function", "test.ping", "when", "tea"), "lunch", wire.NewMap("function", "test.ping", "when", []any{"lunch"}),
		), "whens", wire.NewMap("lunch", "12:00"))
		next := func(name string) any {
			v, _ := s.ask(t, "func", "get_next_fire_time", "name", name).Get("next_fire_time")
			return v
		}
		if next("tea") != "2000-01-01T17:00:00" || next("lunch") != "2000-01-01T12:00:00" || next("more") != "2000-01-01T01:00:01" || next("no") != nil {
			t.Errorf("tea %v, lunch %v, more %v, no %v", next("tea"), next("lunch"), next("more"), next("no"))
		}
		pillar(wire.NewMap("lunch", wire.NewMap("function", "test.ping", "when", []any{"lunch"})), "whens", wire.NewMap("lunch", "13:00"))
		if next("lunch") != "2000-01-01T13:00:00" || next("more") != nil {
			t.Errorf("another pillar: lunch %v, more %v", next("lunch"), next("more"))
		}
		all := s.ask(t, "func", "list").Map("schedule")
		if all.Map("own").String("function") != "test.ping" || all.Len() != 2 {
			t.Errorf("the option goes before the pillar: %#v", all)
		}
		s.ask(t, "func", "delete", "name", "lunch", "persist", true)
		if !s.ask(t, "func", "list", "where", "pillar").Map("schedule").Has("lunch") || !strings.Contains(s.logged(), "Cannot delete job lunch, it's in the pillar!") {
			t.Errorf("a job of the pillar is deleted:\n%s", s.logged())
		}
		if b, err := os.ReadFile(filepath.Join(s.cfg.Dir, "minion.d", "_schedule.conf")); err != nil || strings.Contains(string(b), "lunch") || !strings.Contains(string(b), "own:") {
			t.Errorf("saved %q, %v", b, err)
		}
	})
}

// A change of a job that does not change its times does not change its next run.
func TestScheduler_InStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, job("a", job("function", "test.ping", "seconds", 10)), nil)
		m := s.join(t, "m")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		time.Sleep(6500 * time.Millisecond)
		synctest.Wait()
		s.ask(t, "func", "skip_job", "name", "a", "time", "2030-01-01T00:00:00")
		s.ask(t, "func", "disable_job", "name", "a")
		s.ask(t, "func", "enable_job", "name", "a")
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if n := len(m.returns()); n != 1 {
			t.Errorf("%d runs after 10.5 seconds", n)
		}
		s.ask(t, "func", "run_job", "name", "a")
		synctest.Wait()
		if n := len(m.returns()); n != 2 {
			t.Errorf("%d runs, one of them was asked for", n)
		}
		st := s.ask(t, "func", "job_status", "name", "a").Map("data")
		at, _ := st.Get("_last_run")
		if _, ok := at.(time.Time); !ok || !st.Bool("jid_include") || st.Int("_seconds") != 10 || len(st.List("skip_explicit")) != 1 {
			t.Errorf("%#v", st)
		}
		cancel()
		<-done
	})
}

// A request that cannot be executed returns an error that says why, and changes nothing.
func TestScheduler_Refuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, job("a", job("function", "test.ping", "seconds", 10)), nil)
		for _, c := range []struct {
			data *wire.Map
			want string
		}{
			{wire.NewMap(), `function "" is unavailable`},
			{wire.NewMap("func", "explode"), `function "explode" is unavailable`},
			{wire.NewMap("func", "add"), "one new job at a time"},
			{wire.NewMap("func", "add", "schedule", wire.NewMap("a", 1, "b", 2)), "one new job at a time"},
			{wire.NewMap("func", "add", "schedule", wire.NewMap("a", 1)), "type dict"},
			{wire.NewMap("func", "modify", "name", "a", "schedule", "x"), "no job to put in the place"},
			{wire.NewMap("func", "run_job", "name", "a"), "before the minion has a master"},
			{wire.NewMap("func", "reload", "schedule", []any{}), "no schedule in it"},
		} {
			if _, err := s.Manage(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%#v: %v, want %q", c.data, err, c.want)
			}
		}
		s.join(t, "m")
		s.run(t, time.Second)
		if _, err := s.Manage(wire.NewMap("func", "run_job", "name", "none")); err == nil {
			t.Error("a job that is not there is run")
		}
		if got := s.ask(t, "func", "list").Map("schedule"); got.Len() != 1 || got.Map("a").Int("seconds") != 10 {
			t.Errorf("%#v", got)
		}
	})
}

// Each fault in a schedule is logged once, and the rest works.
func TestScheduler_Faults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, job("bad", job("function", "test.ping", "cron", "x"), "odd", job("function", "test.ping", "seconds", 1, "comment", "x", "run", true)), nil)
		m := s.join(t, "m")
		s.run(t, 2500*time.Millisecond)
		s.SetPillar(nil)
		if n := strings.Count(s.logged(), "job bad is ignored"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, s.logged())
		}
		if !strings.Contains(s.logged(), "field=comment") || strings.Contains(s.logged(), "field=run") || len(m.returns()) != 2 {
			t.Errorf("%d runs, and the log says\n%s", len(m.returns()), s.logged())
		}
	})
}

// Arbitrary events are executed or refused, and the schedule can be shown and saved afterwards.
func FuzzManage(f *testing.F) {
	for name := range orders {
		seed, err := wire.Encode(wire.NewMap("func", name, "name", "a", "persist", false, "schedule", wire.NewMap("a", wire.NewMap("function", "test.ping", "seconds", 5)),
			"time", "2030-01-01T00:00:00", "new_time", 7, "time_fmt", "%Y", "where", "opts"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := wire.DecodeMap(b)
		if err != nil {
			return
		}
		data.Set("persist", false)
		s := newStage(t, job("a", job("function", "test.ping", "seconds", 10)), nil)
		s.mu.Lock()
		s.Scheduler.mu.Lock()
		s.loaded = true
		s.mu.Unlock()
		s.load()
		s.Scheduler.mu.Unlock()
		if data.String("func") == "run_job" {
			return
		}
		if _, err := s.Manage(data); err != nil {
			return
		}
		if _, err := wire.Encode(s.ask(t, "func", "list")); err != nil {
			t.Error(err)
		}
	})
}
