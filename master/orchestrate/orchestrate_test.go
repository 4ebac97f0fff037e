package orchestrate

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a master for orchestrations.
type stage struct {
	runners.Env
	files       map[string]string
	returns     map[string]runners.Answers // by function
	mu          sync.Mutex                 // guards asked: salt.parallel_runners calls several at once
	asked       []string
	fired       []string
	events      chan *value.Map
	pauses      *Pauses
	stateEvents bool
	pillar      *value.Map
}

func (s *stage) Timeouts() (time.Duration, time.Duration) { return 5 * time.Second, 10 * time.Second }
func (s *stage) Endless() bool                            { return false }

func (s *stage) Ask(_ context.Context, q runners.Question) (runners.Answers, error) {
	s.note(fmt.Sprintf("%s %s %v %s", q.Fun, pyfmt.Str(q.Tgt), pyfmt.Repr(q.Args), pyfmt.Repr(q.Kwargs)))
	return s.returns[q.Fun], nil
}

func (s *stage) note(asked string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked)
}

func (s *stage) Listen(ctx context.Context, heard func(string, *value.Map) bool) error {
	for {
		select {
		case e := <-s.events:
			if !heard(e.String("tag"), e) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *stage) Orchestration() Parts {
	return Parts{
		ID: "top_master", JID: func(context.Context) string { return "20261123150000000001" }, Source: source(s.files), Renderer: func(vars *value.Map) states.Renderer { s.pillar = vars.Map("pillar"); return plain{} },
		Pillar: func(_ context.Context, _, _ string, over *value.Map) (*value.Map, error) {
			if over.Has("bad") {
				return value.NewMap("_errors", []any{"it does not render"}), nil
			}
			return over, nil
		},
		Call: func(_ context.Context, kind, fun string, args []any, kwargs *value.Map) Ended {
			s.note(fmt.Sprintf("%s %s %s %s", kind, fun, pyfmt.Repr(args), pyfmt.Repr(kwargs)))
			switch fun {
			case "error.error":
				return Ended{"j2", "it failed", false}
			case "state.orch":
				return Ended{"j2", value.NewMap("data", value.NewMap("top_master", value.NewMap("a", value.NewMap("result", false, "changes", value.NewMap("x", 1)))), "outputter", "highstate"), true}
			}
			return Ended{"j2", value.NewMap("given", kwargs), true}
		},
		Fire:        func(tag string, _ *value.Map) { s.fired = append(s.fired, tag) },
		StateEvents: s.stateEvents, Pauses: s.pauses, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

type source map[string]string

func (source) Envs(context.Context) ([]string, error) { return []string{"base"}, nil }
func (s source) Files(context.Context, string) (out []string, err error) {
	for f := range s {
		out = append(out, f)
	}
	slices.Sort(out)
	return out, nil
}

func (s source) Open(_ context.Context, _, path string) ([]byte, error) {
	if text, ok := s[path]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}
func (source) Tops(context.Context) (*value.Map, error) { return nil, nil } //nolint:nilnil // none

type plain struct{}

func (plain) Render(_ context.Context, t states.Template) (any, error) { return pyfmt.ReadYAML(t.Data) }

func newStage(sls string) *stage {
	highstate := func(result any, changes *value.Map) *value.Map {
		return value.NewMap("file_|-motd_|-/etc/motd_|-managed", value.NewMap("result", result, "changes", changes, "comment", "", "name", "/etc/motd", "__run_num__", 0))
	}
	return &stage{
		files: map[string]string{"o.sls": sls}, events: make(chan *value.Map), pauses: NewPauses(time.Now),
		returns: map[string]runners.Answers{
			"test.ping":       {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: true, OK: true}, "m2": {Value: true, OK: true}}},
			"test.false":      {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: false, OK: true}}},
			"cmd.run":         {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: "out", OK: false}}},
			"test.half":       {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: true, OK: true}}, Missing: map[string]jobevent.Absence{"m2": {}}},
			"state.sls":       {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: highstate(true, value.NewMap("diff", "New file")), OK: true}, "m2": {Value: highstate(true, value.NewMap()), OK: true}}},
			"state.highstate": {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: highstate(false, value.NewMap()), OK: false}}},
			"state.top":       {JID: "j1", Returned: map[string]runners.Answer{"m1": {Value: []any{"Rendering SLS failed"}, OK: false}}, Missing: map[string]jobevent.Absence{"m2": {}}},
		},
	}
}

// run calls a runner and returns the results in order: ID, result, comment, changes.
func run(t *testing.T, s Env, fun string, kv ...any) (lines []string, retcode any) {
	t.Helper()
	v, err := runners.Run(t.Context(), &runners.Call{Bound: runners.Bind(runners.Request{Fun: fun, Kwargs: value.NewMap(kv...)}), JID: "20261123150000000000", Env: s})
	if err != nil {
		return []string{err.Error()}, "error"
	}
	m := v.(*value.Map)
	retcode, _ = m.Get("retcode")
	if d := m.Map("data"); d != nil {
		m = d
	}
	got, _ := m.Get("top_master")
	states, ok := got.(*value.Map)
	if !ok {
		return []string{pyfmt.Str(got)}, retcode
	}
	states.Range(func(_, v any) bool {
		r := v.(*value.Map)
		result, _ := r.Get("result")
		changes, _ := r.Get("changes")
		lines = append(lines, fmt.Sprintf("%s %s %s %s", r.String("__id__"), pyfmt.Str(result), r.String("comment"), pyfmt.Repr(changes)))
		return true
	})
	return lines, retcode
}

// Results and comments match Salt's.
func TestStates(t *testing.T) {
	for sls, want := range map[string]string{
		"a: {salt.function: [{name: test.ping}, {tgt: '*'}]}":                                                                  "a True Function ran successfully. Function test.ping ran on m1, m2. {'ret': {'m1': True, 'm2': True}}|0",
		"a: {salt.function: [{name: test.false}, {tgt: '*'}]}":                                                                 "a False Running function test.false failed on minions: m1 Function test.false ran on m1. {'ret': {'m1': False}}|1",
		"a: {salt.function: [{name: test.false}, {tgt: '*'}, {fail_minions: 'm1, m3'}]}":                                       "a True Function ran successfully. Function test.false ran on m1. {'ret': {'m1': False}}|0",
		"a: {salt.function: [{name: cmd.run}, {tgt: '*'}, {arg: ['false']}]}":                                                  "a False Running function cmd.run failed on minions: m1 Function cmd.run ran on m1. {'ret': {'m1': 'out'}}|1",
		"a: {salt.function: [{name: test.half}, {tgt: '*'}]}":                                                                  "a True Function ran successfully. Function test.half ran on m1. {'ret': {'m1': True}}|0",
		"a: {salt.function: [{name: test.half}, {tgt: '*'}, {expect_minions: true}]}":                                          "a False Running function test.half failed on minions: m2 Function test.half ran on m1, m2. {'ret': {'m1': True, 'm2': False}}|1",
		"a: {salt.function: [{name: no.body}, {tgt: x}]}":                                                                      "a False No minions responded {}|1",
		"a: {salt.function: [{name: test.ping}, {tgt: x}, {ssh: true}]}":                                                       "a False ssh=true is not served by this master: take it out of salt.function {}|1",
		"a: {salt.state: [{tgt: '*'}, {sls: [x, y]}]}":                                                                         "a True States ran successfully. Updating m1. No changes made to m2. ",
		"a: {salt.state: [{tgt: '*'}, {highstate: true}]}":                                                                     "a False Run failed on minions: m1 ",
		"a: {salt.state: [{tgt: '*'}, {highstate: true}, {allow_fail: 1}]}":                                                    "a True States ran successfully. Updating m1. ",
		"a: {salt.state: [{tgt: '*'}, {top: t.sls}]}":                                                                          "a False Run failed on minions: m1, m2 {'out': 'highstate', 'ret': {'m1': ['Rendering SLS failed'], 'm2': False}}|1",
		"a: {salt.state: [{tgt: '*'}]}":                                                                                        "a False No highstate or sls specified, no execution made {}|1",
		"a: {salt.state: [{tgt: '*'}, {sls: x}, {concurrent: maybe}]}":                                                         "a False Must pass in boolean for value of 'concurrent' {}|1",
		"a: {salt.state: [{tgt: '*'}, {sls: x}, {allow_fail: some}]}":                                                          "a False Passed invalid value for 'allow_fail', must be an int {}|1",
		"a: {salt.runner: [{name: test.arg}, {who: m9}]}":                                                                      "a True Runner function 'test.arg' executed. {'return': {'given': {'who': 'm9'}}}|0",
		"a: {salt.runner: [{name: error.error}]}":                                                                              "a False Runner function 'error.error' failed. {'return': 'it failed'}|1",
		"a: {salt.runner: [{name: state.orch}, {mods: x}]}":                                                                    "a False Runner function 'state.orch' failed. ",
		"a: {salt.wheel: [{name: key.list}, {match: accepted}]}":                                                               "a True Wheel function 'key.list' executed. {'return': {'given': {'match': 'accepted'}}}|0",
		"a: {salt.parallel_runners: [{runners: {one: [{name: test.arg}, {kwarg: {x: 1}}], error.error: null}}]}":               "a False Runner error.error failed. {'ret': {'one': {'given': {'x': 1}}, 'error.error': 'it failed'}}|1",
		"a: {salt.parallel_runners: [{runners: [x]}]}":                                                                         "a False The runners parameter must be a string or dict. {}|1",
		"a: {file.managed: [{name: /x}]}":                                                                                      " False State 'file.managed' was not found in SLS 'o'\nReason: 'file.managed' is not available: a master runs the states of salt.* and test.*; use salt.state for the minion beside it.",
		"a: {test.nop: []}\nb: {test.fail_without_changes: [{require: [{test: a}]}]}\nc: {test.nop: [{require: [{test: b}]}]}": "a True Success! {}; b False Failure! {}; c False One or more requisite failed: o.b {}|1",
		"a: b: c": "Rendering SLS 'base:o' failed",
	} {
		s := newStage(sls)
		lines, retcode := run(t, s, "state.orchestrate", "mods", "o")
		got := fmt.Sprintf("%s|%v", strings.Join(lines, "; "), retcode)
		if !strings.HasPrefix(got, want) && !strings.Contains(got, want) {
			t.Errorf("%s\n%s\nwant %s", sls, got, want)
		}
	}
}

// With test=True minions test their states, and nothing else runs.
func TestTest(t *testing.T) {
	s := newStage("f: {salt.function: [{name: test.ping}, {tgt: '*'}]}\ns: {salt.state: [{tgt: '*'}, {sls: x}]}\nr: {salt.runner: [{name: test.arg}]}\nw: {salt.wheel: [{name: key.list}]}\ne: {salt.wait_for_event: [{name: x}, {id_list: [a]}]}")
	lines, retcode := run(t, s, "state.orch", "mods", "o", "test", true, "pillar", value.NewMap("v", 1))
	want := []string{"Function test.ping would be executed on target *", "States ran successfully. Updating m1.", "Runner function 'test.arg' would be executed.", "Wheel function 'key.list' would be executed.", "Orchestration would wait for event 'x'"}
	for i, w := range want {
		if i >= len(lines) || !strings.Contains(lines[i], " None "+w) {
			t.Errorf("%d: %v, want %s", i, lines, w)
		}
	}
	if retcode != 0 || len(s.asked) != 1 || s.asked[0] != "state.sls * ['x'] {'test': True, 'queue': False, 'concurrent': False}" {
		t.Errorf("%v, asked %q", retcode, s.asked)
	}
	if s.pillar.Int("v") != 1 {
		t.Errorf("the pillar is %#v", s.pillar)
	}
}

// Compilation errors have the form of a minion's, and the run fails.
func TestNotCompiled(t *testing.T) {
	s := newStage("a: {test.nop: []}")
	for name, c := range map[string]struct {
		kv   []any
		want string
	}{
		"no such file":   {[]any{"mods", "none"}, "No matching sls found for 'none' in env 'base'"},
		"a bad pillar":   {[]any{"mods", "o", "pillar", value.NewMap("bad", 1)}, "it does not render"},
		"pillar as text": {[]any{"mods", "o", "pillar", "x"}, "Pillar data must be formatted as a dictionary"},
		"pillar_enc":     {[]any{"mods", "o", "pillar_enc", "gpg"}, "pillar_enc=gpg"},
		"no mods":        {[]any{"mods", ""}, "names no SLS"},
	} {
		lines, retcode := run(t, s, "state.orchestrate", c.kv...)
		if retcode == 0 || !strings.Contains(strings.Join(lines, ";"), c.want) {
			t.Errorf("%s: %q, %v", name, lines, retcode)
		}
	}
}

// A single state, and states given as a mapping.
func TestSingleAndHigh(t *testing.T) {
	s := newStage("a: {test.nop: []}")
	// Other arguments cannot replace fun and name, which the access rules judged.
	if lines, _ := run(t, s, "state.orchestrate_single", "fun", "test.nop", "name", "x", "state", "salt", "__id__", "y"); len(lines) != 1 || !strings.HasPrefix(lines[0], "x ") {
		t.Errorf("%q", lines)
	}
	if lines, _ := run(t, s, "state.orchestrate_single", "fun", "salt.wheel", "name", "key.list", "match", "all"); len(lines) != 1 || !strings.Contains(lines[0], "{'given': {'match': 'all'}}") {
		t.Errorf("%q", lines)
	}
	data := value.NewMap("two", value.NewMap("salt.function", []any{value.NewMap("name", "test.ping"), value.NewMap("tgt", "*"), value.NewMap("require", []any{value.NewMap("test", "one")})}),
		"one", value.NewMap("test.nop", []any{}))
	if lines, _ := run(t, s, "state.orchestrate_high", "data", data); len(lines) != 2 || !strings.HasPrefix(lines[0], "one") {
		t.Errorf("%q", lines)
	}
	if lines, _ := run(t, s, "state.orch_show_sls", "mods", "o"); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// The state waits until events for all ids arrived, but not forever.
func TestWaitForEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("a: {salt.wait_for_event: [{name: 'salt/minion/*/start'}, {id_list: [m1, m2, m3]}, {timeout: 60}]}")
		go func() {
			for _, e := range []*value.Map{
				value.NewMap("tag", "other", "id", "m1"), value.NewMap("tag", "salt/minion/m1/start", "id", "m1"),
				value.NewMap("tag", "salt/minion/x/start", "data", value.NewMap("id", []any{"m3", "m2"})),
			} {
				time.Sleep(time.Second)
				s.events <- e
			}
		}()
		lines, retcode := run(t, s, "state.orchestrate", "mods", "o")
		if retcode != 0 || len(lines) != 1 || lines[0] != "a True All events seen in 3.0 seconds. {'minions_seen': ['m1', 'm2', 'm3']}" {
			t.Errorf("%q, %v", lines, retcode)
		}
		lines, retcode = run(t, s, "state.orchestrate", "mods", "o")
		if retcode != 1 || lines[0] != "a False Timeout value reached. {}" {
			t.Errorf("%q, %v", lines, retcode)
		}
	})
}

// A run pauses before a state, resumes, and ends before another.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("a: {test.nop: []}\nb: {test.nop: []}\nc: {test.nop: []}")
		const jid = "20261123150000000000"
		call := func(fun string, kv ...any) {
			if _, err := runners.Run(t.Context(), &runners.Call{Bound: runners.Bind(runners.Request{Fun: fun, Kwargs: value.NewMap(append([]any{"jid", jid}, kv...)...)}), Env: s}); err != nil {
				t.Error(err)
			}
		}
		began := time.Now()
		call("state.pause", "state_id", "b", "duration", 30)
		if lines, _ := run(t, s, "state.orch", "mods", "o"); len(lines) != 3 || time.Since(began) != 30*time.Second {
			t.Errorf("%q after %v", lines, time.Since(began))
		}
		call("state.pause", "state_id", "b")
		time.AfterFunc(time.Minute, func() { call("state.resume") })
		began = time.Now()
		if lines, _ := run(t, s, "state.orch", "mods", "o"); len(lines) != 3 || time.Since(began) != time.Minute {
			t.Errorf("%q after %v", lines, time.Since(began))
		}
		call("state.soft_kill", "state_id", "b")
		if lines, _ := run(t, s, "state.orch", "mods", "o"); len(lines) != 1 {
			t.Errorf("%q", lines)
		}
		if n := len(s.pauses.runs); n != 0 {
			t.Errorf("%d runs are remembered", n)
		}
		for i := range maxPauses {
			if err := s.pauses.set(fmt.Sprint(i), "", &pause{}); err != nil {
				t.Fatal(err)
			}
		}
		if s.pauses.set("one more", "", &pause{}) == nil {
			t.Error("without a limit")
		}
	})
}
