package states

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// result returns the result of an ID.
func result(t *testing.T, out Outcome, id string) *value.Map {
	t.Helper()
	var found *value.Map
	out.Results.Range(func(_, v any) bool {
		if m := v.(*value.Map); m.String("__id__") == id {
			found = m
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("no result of %s in %#v", id, out.Results)
	}
	return found
}

func TestFailhardEndsTheRun(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": "a: {test.bad: [{failhard: True}]}\nb: {test.good: []}\n"}, nil, "a")
	if d := cmp.Diff([]string{"test.bad a"}, fns.calls); d != "" || out.Retcode() != Failure {
		t.Error(d)
	}
}

func TestARequiredFailureKeepsAStateFromRunning(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": "a: {test.bad: []}\nb: {test.good: [{require: [{test: a}]}]}\n"}, nil, "a")
	if got := result(t, out, "b").String("comment"); got != "One or more requisite failed: a.a" || len(fns.calls) != 1 {
		t.Error(got, fns.calls)
	}
}

func TestAnOnfailThatDealsWithAFailure(t *testing.T) {
	for stop, want := range map[string]int{"True": Failure, "False": Good} {
		out, _ := apply(t, tree{"base/a.sls": "a: {test.bad: []}\nb: {test.good: [{onfail: [{test: a}]}, {onfail_stop: " + stop + "}]}\n"}, nil, "a")
		if out.Retcode() != want {
			t.Errorf("onfail_stop %s: %d", stop, out.Retcode())
		}
	}
}

func TestWatchCallsModWatch(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": "a: {test.change: []}\nb: {test.good: [{watch: [{test: a}]}]}\nc: {plain.good: [{watch: [{test: a}]}]}\n"}, nil, "a")
	want := []string{"test.change a", "test.good b", "test.mod_watch b", "plain.good c"}
	if d := cmp.Diff(want, fns.calls); d != "" || !result(t, out, "b").Map("changes").Bool("watched") {
		t.Error(d)
	}
}

func TestPrereqAsksFirst(t *testing.T) {
	_, fns := apply(t, tree{"base/a.sls": "a: {test.good: [{prereq: [{test: b}]}]}\nb: {test.change: []}\n"}, nil, "a")
	if d := cmp.Diff([]string{"test.change b", "test.good a", "test.change b"}, fns.calls); d != "" {
		t.Error(d)
	}
}

func TestUnknownArgumentsEndTheRun(t *testing.T) {
	r, _ := newRun(t, tree{"base/a.sls": "a: {test.strict: [{nonsense: 1}, {more: 2}]}\n"}, nil)
	_, err := r.SLS(t.Context(), []string{"a"}, nil)
	var bad *InvocationError
	if !errors.As(err, &bad) || bad.Msg != "'nonsense' and 'more' are invalid keyword arguments for 'test.strict'" {
		t.Error(err)
	}
}

func TestRefusedOptions(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": "a: {test.good: [{provider: x}]}\n"}, nil, "a")
	if got := out.Results.Map("test_|-a_|-a_|-good").String("comment"); got != "The option provider of state 'test.good' is not supported here: leave it out\n" || len(fns.calls) > 0 {
		t.Error(got, fns.calls)
	}
}

func TestRetry(t *testing.T) {
	var waits []time.Duration
	out, fns := apply(t, tree{"base/a.sls": "a: {test.bad: [{retry: {attempts: 3, interval: 7}}]}\n"}, func(o *Options) {
		o.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
	}, "a")
	if len(fns.calls) != 3 || len(waits) != 2 || waits[0] != 7*time.Second {
		t.Error(fns.calls, waits)
	}
	want := "Attempt 1: Returned a result of \"False\", with the following comment: \"Success!\"\n" +
		"Attempt 2: Returned a result of \"False\", with the following comment: \"Success!\"\nSuccess!"
	if d := cmp.Diff(want, result(t, out, "a").String("comment")); d != "" {
		t.Error(d)
	}
}

func TestMockAsksNobody(t *testing.T) {
	out, fns := apply(t, tree{"base/a.sls": "a: {test.bad: []}\n"}, func(o *Options) { o.Mock = true }, "a")
	if got := result(t, out, "a").String("comment"); got != "Not called, mocked" || len(fns.calls) > 0 || out.Retcode() != Good {
		t.Error(got, fns.calls)
	}
}

func TestEventsOfStates(t *testing.T) {
	var tags []string
	apply(t, tree{"base/a.sls": "a: {test.good: []}\nb: {test.good: [{fire_event: done}]}\n"}, func(o *Options) {
		o.JID, o.Events = "2026", true
		o.Fire = func(_ context.Context, tag string, _ any) error { tags = append(tags, tag); return nil }
	}, "a")
	if d := cmp.Diff([]string{"salt/job/2026/prog/m1/0", "salt/state_result/2026/m1/done"}, tags); d != "" {
		t.Error(d)
	}
}

func TestParseCall(t *testing.T) {
	fun, args, kwargs, ok := parseCall(`test.arg('a, b', [1,2], k="v")`)
	if !ok || fun != "test.arg" || kwargs.String("k") != "v" {
		t.Fatal(fun, args, kwargs, ok)
	}
	if d := cmp.Diff([]any{"a, b", "[1,2]"}, args); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "test.arg", "test.arg(", "test.arg(]", "(x)", "test.arg('x"} {
		if _, _, _, ok := parseCall(bad); ok {
			t.Errorf("%q is taken", bad)
		}
	}
}
