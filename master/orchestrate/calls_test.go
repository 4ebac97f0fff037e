package orchestrate

import (
	"slices"
	"testing"
)

// A runner with an environment argument uses that of the state.
func TestRunnerInEnv(t *testing.T) {
	s := newStage(`
a: {salt.runner: [{name: state.orchestrate_show_sls}, {mods: x}, {saltenv: dev}]}
b: {salt.runner: [{name: state.orchestrate_show_sls}, {kwarg: {mods: x, saltenv: qa}}]}
c: {salt.runner: [{name: test.arg}]}
d: {salt.parallel_runners: [{runners: {state.orchestrate_show_sls: [{kwarg: {mods: x}}]}}]}
`)
	run(t, s, "state.orchestrate", "mods", "o")
	want := []string{
		"runner state.orchestrate_show_sls [] {'mods': 'x', 'saltenv': 'dev'}", "runner state.orchestrate_show_sls [] {'mods': 'x', 'saltenv': 'qa'}",
		"runner test.arg [] {}", "runner state.orchestrate_show_sls [] {'mods': 'x', 'saltenv': 'base'}",
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("%q, want %q", s.asked, want)
	}
}

// States fire progress events if they or the option state_events say so.
func TestEvents(t *testing.T) {
	s := newStage("a: {test.nop: [{fire_event: true}]}\nb: {test.nop: [{fire_event: my/own}]}\nc: {test.nop: []}")
	const jid = "20261123150000000001"
	for _, on := range []bool{false, true} {
		s.stateEvents, s.fired = on, nil
		run(t, s, "state.orchestrate", "mods", "o")
		want := []string{"salt/state_result/" + jid + "/top_master/a", "salt/state_result/" + jid + "/top_master/my/own"}
		if on {
			want = append(want, "salt/job/"+jid+"/prog/top_master/2")
		}
		if !slices.Equal(s.fired, want) {
			t.Errorf("state_events %v: %q, want %q", on, s.fired, want)
		}
	}
}
