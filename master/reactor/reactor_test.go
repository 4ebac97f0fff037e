package reactor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plain renders YAML and replaces TAG and ID with those of the event.
type plain struct{}

func (plain) SLS(_ context.Context, t render.Template, _ string) (any, error) {
	text := strings.ReplaceAll(string(t.Source), "TAG", t.Vars.String("tag"))
	text = strings.ReplaceAll(text, "ID", t.Vars.Map("data").String("id"))
	return pyfmt.ReadYAML([]byte(text))
}

// stage is a master for the reactor.
type stage struct {
	t   *testing.T
	r   *Reactor
	bus *bus.Bus
	dir string
	log *bytes.Buffer
	jid int

	table  *Table
	causes *Causes

	mu      sync.Mutex
	said    []string
	onJob   func(Job) // simulates minions
	atOnce  func(Job) // simulates minions that are faster than the publisher
	minions []string  // of each job
	hold    chan struct{}
}

func (s *stage) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *stage) done() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.said
	s.said = nil
	return out
}

// open starts a reactor with these files by name and reactions by tag.
func open(t *testing.T, files map[string]string, reactors ...config.Reaction) *stage {
	t.Helper()
	s := &stage{t: t, bus: bus.New(nil), dir: t.TempDir(), log: &bytes.Buffer{}, minions: []string{"m1"}}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range reactors {
		for k, f := range r.SLS {
			if !strings.HasPrefix(f, "salt://") {
				reactors[i].SLS[k] = filepath.Join(s.dir, f)
			}
		}
	}
	log := slog.New(slog.NewTextHandler(s.log, nil))
	s.table, s.causes = NewTable(config.Reactors{List: reactors}, s.bus, log), NewCauses(time.Now)
	s.r = New(Options{
		Table: s.table, Causes: s.causes, Threads: 2, Waiting: 3, Bus: s.bus, Engine: plain{}, ID: "top",
		Files: loader{"react/x.sls": "x: {runner.test.arg: [{args: [{from: TAG}]}]}"}, Log: log,
		JID: func() string { s.mu.Lock(); defer s.mu.Unlock(); s.jid++; return fmt.Sprintf("2026112315%010d", s.jid) },
		Key: func(key string) bool { return key == "right" },
		Do: Doers{
			Job: func(_ context.Context, j Job) ([]string, error) {
				s.say("local %s %s %s %s %s ret=%s timeout=%v", pyfmt.Str(j.Tgt), j.TgtType, j.Fun, pyfmt.Repr(j.Args), pyfmt.Repr(j.Kwargs), j.Ret, j.Timeout)
				if j.Tgt == "nobody" {
					return nil, errors.New("no minions matched")
				}
				if s.atOnce != nil {
					s.atOnce(j)
				}
				if s.onJob != nil {
					go s.onJob(j)
				}
				return s.minions, nil
			},
			Runner: func(_ context.Context, c Call) error {
				s.say("runner %s %s %s fields=%v", c.Fun, pyfmt.Repr(c.Args), pyfmt.Repr(c.Kwargs), c.Fields)
				if s.hold != nil {
					<-s.hold
				}
				return nil
			},
			Wheel: func(_ context.Context, c Call) error {
				s.say("wheel %s %s %s fields=%v", c.Fun, pyfmt.Repr(c.Args), pyfmt.Repr(c.Kwargs), c.Fields)
				return nil
			},
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended; s.bus.Close() })
	synctest.Wait()
	return s
}

type loader map[string]string

func (l loader) Open(_ context.Context, _, path string) ([]byte, error) {
	if s, ok := l[path]; ok {
		return []byte(s), nil
	}
	return nil, os.ErrNotExist
}

func (s *stage) fire(tag string, kv ...any) {
	if err := s.bus.Fire(tag, value.NewMap(kv...)); err != nil {
		s.t.Fatal(err)
	}
}

func react(tag string, slss ...string) config.Reaction { return config.Reaction{Tag: tag, SLS: slss} }

// Each form of a reaction has the effect it has in Salt.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct{ sls, want string }{
		"args as keywords":      {"a: {local.test.echo: [{tgt: ID}, {args: [{text: from TAG}]}]}", "local m1  test.echo [] {'text': 'from my/tag'} ret= timeout=0s"},
		"args as a mapping":     {"a: {local.test.echo: [{tgt: ID}, {args: {text: x}}]}", "local m1  test.echo [] {'text': 'x'} ret= timeout=0s"},
		"a word in args":        {"a: {local.test.arg: [{tgt: '*'}, {args: [plain]}]}", "local *  test.arg [] {'plain': None} ret= timeout=0s"},
		"arg and kwarg":         {"a: {local.test.arg: [{tgt: 'a,b'}, {tgt_type: list}, {arg: [one]}, {kwarg: {k: v}}, {ret: mysql}, {timeout: 5}]}", "local a,b list test.arg ['one'] {'k': 'v'} ret=mysql timeout=5s"},
		"the old name of local": {"a: {cmd.cmd.run: [{tgt: '*'}, {arg: uptime}]}", "local *  cmd.run ['uptime'] {} ret= timeout=0s"},
		"function in the list":  {"a: {local: [test.ping, {tgt: '*'}]}", "local *  test.ping [] {} ret= timeout=0s"},
		"runner":                {"a: {runner.state.orchestrate: [{args: [{mods: orch.mini}]}]}", "runner state.orchestrate [] {'mods': 'orch.mini'} fields=false"},
		"runner of old":         {"a: {runner.state.orchestrate: [{mods: orch.mini}, {pillar: {x: 1}}]}", "runner state.orchestrate [] {'name': 'a', 'mods': 'orch.mini', 'pillar': {'x': 1}} fields=true"},
		"runner with arg":       {"a: {runner.test.arg: [{arg: [1]}, {kwarg: {k: 2}}]}", "runner test.arg [1] {'k': 2} fields=false"},
		"wheel":                 {"a: {wheel.key.accept: [{args: [{match: ID}]}]}", "wheel key.accept [] {'match': 'm1'} fields=false"},
		"wheel of old":          {"a: {wheel.key.accept: [{match: ID}]}", "wheel key.accept [] {'name': 'a', 'match': 'm1'} fields=true"},
		"order":                 {"z: {runner.test.a: [{args: {x: 1}}, {order: 1}]}\na: {runner.test.b: [{args: {x: 1}}]}\nl: {runner.test.c: [{args: {x: 1}}, {order: first}]}", "runner test.c [] {'x': 1} fields=false; runner test.a [] {'x': 1} fields=false; runner test.b [] {'x': 1} fields=false"},
		"nothing":               {"{}", ""},
		"empty":                 {"", ""},

		"no target":          {"a: {local.test.ping: []}", "! tgt is missing"},
		"nobody":             {"a: {local.test.ping: [{tgt: nobody}]}", "local nobody  test.ping [] {} ret= timeout=0s; ! no minions matched"},
		"no such type":       {"a: {thorium.x: [{a: 1}]}", "! unknown type of reaction"},
		"caller":             {"a: {caller.test.ping: [{args: [1]}]}", "! this master has no execution modules of its own"},
		"wrong args":         {"a: {runner.test.arg: [{args: 5}]}", "! Incorrect argument format"},
		"wrong timeout":      {"a: {local.test.ping: [{tgt: x}, {timeout: soon}]}", "! timeout=soon is not a number of seconds"},
		"no list":            {"a: {local.test.ping: {tgt: x}}", "! State 'a' in SLS"},
		"no function":        {"a: {local: [{tgt: x}]}", "! No function declared in state 'local'"},
		"two functions":      {"a: {local: [test.ping, test.pong, {tgt: x}]}", "! Too many functions declared"},
		"blank in function":  {"a: {local: ['test.ping x', {tgt: x}]}", "! has whitespace"},
		"no mapping":         {"[a]", "! Failed to render"},
		"not to be rendered": {"a: [", "! Failed to render"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, map[string]string{"a.sls": c.sls}, react("my/*", "a.sls"))
				s.r.pool.threads = 1
				s.fire("my/tag", "id", "m1")
				got := strings.Join(s.done(), "; ")
				want, fault, failing := strings.Cut(c.want, "! ")
				if want = strings.TrimSuffix(want, "; "); got != want && name != "order" {
					t.Errorf("%s\nwant %s", got, want)
				}
				if name == "order" && len(got) != len(want) { // workers run in any order
					t.Errorf("%s\nwant %s", got, want)
				}
				if failing != (s.r.Counts().Failed > 0) || !strings.Contains(s.log.String(), fault) {
					t.Errorf("%d failed, log:\n%s", s.r.Counts().Failed, s.log)
				}
			})
		})
	}
}

// Files are selected by tag; a missing file is logged.
func TestTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{
			"a.sls": "a: {runner.test.a: [{args: {x: TAG}}]}", "b1.sls": "b: {runner.test.b1: [{args: {x: 1}}]}", "b2.sls": "b2: {runner.test.b2: [{args: {x: 1}}]}",
			"again.sls": "a: {runner.test.again: [{args: {x: 1}}]}",
		}, react("salt/minion/*/start", "a.sls"), react("two", "a.sls", "again.sls"), react("glob", "b*.sls"), react("file", "salt://react/x.sls"),
			react("none", "none.sls", "salt://none.sls", "b1.sls"))
		for tag, want := range map[string]string{
			"salt/minion/web1/start":   "runner test.a [] {'x': 'salt/minion/web1/start'} fields=false",
			"salt/minion/web1/started": "",
			"two":                      "runner test.again [] {'x': 1} fields=false", // a later equal ID replaces the earlier one
			"glob":                     "runner test.b1 [] {'x': 1} fields=false; runner test.b2 [] {'x': 1} fields=false",
			"file":                     "runner test.arg [] {'from': 'file'} fields=false",
			"none":                     "runner test.b1 [] {'x': 1} fields=false",
			"other":                    "",
		} {
			s.fire(tag)
			got := s.done()
			if strings.Join(got, "; ") != want && len(got) < 2 {
				t.Errorf("%s: %s, want %s", tag, got, want)
			}
		}
		if n := strings.Count(s.log.String(), "for tag none. File missing or not found."); n != 2 {
			t.Errorf("%d files are logged as missing:\n%s", n, s.log)
		}
		s.fire("glob", "user", User) // of a reaction
		if got := s.done(); len(got) > 0 {
			t.Errorf("a reaction starts %s", got)
		}
	})
}

// Added reactors work until they are deleted; a master that does not lead does nothing.
func TestManage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {runner.test.a: [{args: {x: 1}}]}"})
		results := s.bus.Subscribe(bus.SubscribeOptions{Prefix: managePrefix, Size: 100})
		defer results.Close()
		sls := filepath.Join(s.dir, "a.sls")
		say := func(v any) string { return pyfmt.Repr(v) }
		for _, c := range []struct{ got, want string }{
			{say(s.table.List()), "[]"},
			{say(s.table.Add("my/*", []string{sls})), "{'status': True, 'comment': 'Reactor added.'}"},
			{say(s.table.Add("my/*", []string{sls})), "{'status': False, 'comment': 'Reactor already exists.'}"},
			{say(s.table.List()), "[{'my/*': ['" + sls + "']}]"},
			{say(s.table.SetLeader(false)), "False"},
		} {
			if c.got != c.want {
				t.Errorf("%s, want %s", c.got, c.want)
			}
		}
		s.fire("my/x")
		if got := s.done(); len(got) > 0 {
			t.Errorf("one that does not lead does %s", got)
		}
		s.table.SetLeader(true)
		s.fire("my/x")
		if got := s.done(); len(got) != 1 {
			t.Errorf("it does %s", got)
		}
		s.fire("salt/reactors/manage/delete", "event", "my/*", "key", "wrong")
		synctest.Wait()
		if len(s.table.list()) != 1 {
			t.Error("the reactors were changed without the key")
		}
		s.fire("salt/run/20261123150000000000/salt/reactors/manage/delete", "event", "my/*", "key", "right")
		synctest.Wait()
		if len(s.table.list()) != 0 {
			t.Error("Salt's own runner cannot delete")
		}
		if got := say(s.table.Delete("my/*")); got != "{'status': False, 'comment': 'Reactor does not exists.'}" {
			t.Error(got)
		}
		seen := map[string]int{}
		for len(results.C()) > 0 {
			seen[strings.TrimPrefix((<-results.C()).Tag, managePrefix)]++
		}
		if seen["add-complete"] != 2 || seen["delete-complete"] != 2 || seen["list-results"] != 2 || seen["leader/value"] != 2 {
			t.Errorf("fired %v", seen)
		}
	})
}

// Reactions beyond the queue are dropped, counted and logged.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {runner.test.a: [{args: {x: 1}}]}"}, react("my/*", "a.sls"))
		s.hold = make(chan struct{})
		for i := range 20 {
			s.fire(fmt.Sprintf("my/%d", i))
			synctest.Wait()
		}
		c := s.r.Counts()
		if c.Begun != 5 || c.Dropped != 15 || c.Waiting != 3 {
			t.Errorf("%+v", c)
		}
		if !strings.Contains(s.log.String(), "TaskPool queue is full!") {
			t.Errorf("log:\n%s", s.log)
		}
		close(s.hold)
		if got := len(s.done()); got != 5 {
			t.Errorf("%d were done", got)
		}
	})
}

// Events that arrive faster than they are rendered are dropped, counted and logged.
func TestBounds_Events(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {local.test.ping: [{tgt: x}]}"}, react("my/*", "a.sls"))
		goOn := make(chan struct{})
		s.r.o.Do.Job = func(context.Context, Job) ([]string, error) { <-goOn; return nil, nil }
		for range Waiting + 100 {
			s.fire("my/x")
		}
		synctest.Wait()
		close(goOn)
		synctest.Wait()
		if n := s.r.Counts().Missed; n < 90 || n > 100 {
			t.Errorf("%d are missed", n)
		}
		if !strings.Contains(s.log.String(), "events dropped by the reactor") {
			t.Errorf("log:\n%s", s.log)
		}
	})
}

// Attack: a minion fires large events faster than they are handled. Few of them are queued.
func TestBounds_Bytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, map[string]string{"a.sls": "a: {local.test.ping: [{tgt: x}]}"}, react("my/*", "a.sls"))
		goOn := make(chan struct{})
		s.r.o.Do.Job = func(context.Context, Job) ([]string, error) { <-goOn; return nil, nil }
		large := strings.Repeat("x", 1<<20)
		for range 100 {
			s.fire("my/x", "data", large)
		}
		synctest.Wait()
		close(goOn)
		synctest.Wait()
		if n := s.r.Counts().Missed; n < 35 || n > 40 {
			t.Errorf("%d are missed", n)
		}
		s.fire("my/x", "data", large)
		synctest.Wait()
		if n := s.r.Counts().Missed; n > 40 {
			t.Errorf("then %d are missed", n)
		}
	})
}

// The list may be in a file, which is read again when it changes.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "reactors.yml")
	write := func(text string, at time.Time) {
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	l := slog.New(slog.NewTextHandler(&log, nil))
	write("- my/*: [/a.sls, /b.sls]\n- other: /c.sls\n", time.Unix(1000, 0))
	tab := NewTable(config.Reactors{File: path}, bus.New(nil), l)
	if got := fmt.Sprint(tab.slss("my/x"), tab.slss("other")); got != "[/a.sls /b.sls] [/c.sls]" {
		t.Error(got)
	}
	write("- my/*: 5\n", time.Unix(2000, 0))
	tab.reload()
	if len(tab.slss("my/x")) != 2 || !strings.Contains(log.String(), "previous entries stay in force") {
		t.Errorf("an invalid file is accepted; log: %s", log.String())
	}
	log.Reset()
	write("- my/*: 5\n- my/x: [/e.sls]\n", time.Unix(2500, 0))
	first := NewTable(config.Reactors{File: path}, bus.New(nil), l)
	if got := fmt.Sprint(first.slss("my/x")); got != "[/e.sls]" || !strings.Contains(log.String(), "entry 1, tag my/*") {
		t.Errorf("at the start an invalid entry is skipped: %s; log: %s", got, log.String())
	}
	write("- my/y: [/d.sls]\n", time.Unix(3000, 0))
	tab.reload()
	if got := fmt.Sprint(tab.slss("my/x"), tab.slss("my/y")); got != "[] [/d.sls]" {
		t.Error(got)
	}
}

// Whatever a file renders to, it is compiled or refused.
func FuzzCompile(f *testing.F) {
	f.Add("a: {local.test.ping: [{tgt: x}, {order: last}]}\nb: local.test.ping\nc: {local: [test.ping, {order: -1}]}")
	f.Add("1: {x: []}\n__a: 5\nd: {1: [{2: 3}]}")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pyfmt.ReadYAML([]byte(text))
		m, ok := v.(*value.Map)
		if err != nil || !ok {
			return
		}
		high := pad(m)
		if len(verify(high)) > 0 {
			return
		}
		r := &Reactor{o: Options{JID: func() string { return "1" }, Log: slog.New(slog.DiscardHandler)}}
		for _, l := range compile(high) {
			_, _ = r.call("runner", l)
			_, _ = r.call("local", l)
		}
	})
}
