package modules

import (
	"errors"
	"testing"

	"github.com/momtree/mom/value"
)

// withJobs adds running jobs: the calling one and two others.
func withJobs(t *testing.T, env *fakeEnv) {
	for _, load := range []*value.Map{
		value.NewMap("jid", "20240101000000000001", "fun", "saltutil.running"),
		value.NewMap("jid", "20", "fun", "test.sleep", "arg", []any{int64(7)}, "tgt", "*", "user", "root"),
		value.NewMap("jid", "21", "fun", []any{"test.ping", "state.apply"}, "arg", []any{[]any{}, []any{}}),
	} {
		_, end, err := env.jobs.Begin(t.Context(), load)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
	}
}

func TestSaltutil_Jobs(t *testing.T) {
	env := newEnv()
	withJobs(t, env)
	sleep := func(v any) any {
		l := v.(m)
		if l["pid"].(int64) < 2 {
			t.Errorf("pid = %v", l["pid"])
		}
		delete(l, "pid")
		return l
	}
	want := any(m{"jid": "20", "fun": "test.sleep", "arg": []any{int64(7)}, "tgt": "*", "user": "root"})
	running := result(t, env, "saltutil.running").([]any)
	if len(running) != 2 {
		t.Fatalf("running = %v, want the two other jobs", running)
	}
	same(t, "running", sleep(running[0]), want)
	same(t, "find_job", sleep(result(t, env, "saltutil.find_job", "20")), want)
	same(t, "find_job by number", sleep(result(t, env, "saltutil.find_job", int64(20))), want)
	same(t, "find_job of none", result(t, env, "saltutil.find_job", "1"), any(m{}))
	for fun, n := range map[string]int{"test.*": 2, "test.sleep": 1, "state.*": 1, "cmd.*": 0} {
		if got := result(t, env, "saltutil.is_running", fun).([]any); len(got) != n {
			t.Errorf("is_running %s = %v, want %d jobs", fun, got, n)
		}
	}
}

func TestSaltutil_AllJobsButOwn(t *testing.T) {
	for _, fun := range []string{"saltutil.kill_all_jobs", "saltutil.term_all_jobs"} {
		env := newEnv()
		own, end, err := env.jobs.Begin(t.Context(), value.NewMap("jid", "20240101000000000001"))
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		other, end, err := env.jobs.Begin(t.Context(), value.NewMap("jid", "9"))
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		if got := result(t, env, fun).([]any); len(got) != 1 {
			t.Errorf("%s = %v, want one answer", fun, got)
		}
		if own.Err() != nil || other.Err() == nil {
			t.Errorf("%s: own %v, other %v", fun, own.Err(), other.Err())
		}
	}
}

func TestSaltutil_Errors(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"saltutil.kill_job", []any{"404"}, ""},
		{"saltutil.signal_job", []any{"404", "TERM"}, "Passed invalid arguments to saltutil.signal_job: sig must be a number, not 'TERM'"},
		{"saltutil.signal_job", []any{"404", int64(99)}, "Passed invalid arguments to saltutil.signal_job: sig must be the number of a signal, 0 to 64, not 99"},
		{"saltutil.find_cached_job", []any{"1"}, "Local jobs cache directory not found; you may need to enable cache_jobs on this minion"},
		{"saltutil.refresh_grains", []any{kw("refresh_pilar", nil)}, "ERROR executing 'saltutil.refresh_grains': The following keyword arguments are not valid: refresh_pilar=None"},
	})
	env.options.Set("cache_jobs", true)
	env.jobs.CacheFn = func(jid string) (*value.Map, bool) { return value.NewMap("return", true), jid == "1" }
	same(t, "kept", result(t, env, "saltutil.find_cached_job", "1"), any(m{"return": true}))
	same(t, "not kept", result(t, env, "saltutil.find_cached_job", "2"), any("Local jobs cache directory of job 2 not found"))
}

func TestSaltutil_Refresh(t *testing.T) {
	env := newEnv()
	same(t, "grains", result(t, env, "saltutil.refresh_grains"), any(true))
	same(t, "grains alone", result(t, env, "saltutil.refresh_grains", kw("refresh_pillar", false)), any(true))
	same(t, "asked", env.refresh, []string{"grains", "send", "grains"})
	same(t, "pillar", result(t, env, "saltutil.refresh_pillar"), any(true))
	same(t, "event", env.fired, []string{"local pillar_refresh"})
	env.refresh = nil
	same(t, "pillar now", result(t, env, "saltutil.pillar_refresh", kw("wait", true)), any(true))
	same(t, "asked", env.refresh, []string{"pillar"})
	same(t, "too late", run(t, env, "saltutil.refresh_pillar", true, int64(0)).Value, any("ERROR: refresh the pillar: context deadline exceeded"))
	env.fireErr = errors.New("no bus")
	if r := run(t, env, "saltutil.refresh_pillar"); r.Success {
		t.Errorf("result = %v", r.Value)
	}
}
