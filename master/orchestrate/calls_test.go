package orchestrate

import (
	"slices"
	"testing"
)

// A runner that knows environments works in that of the state.
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
