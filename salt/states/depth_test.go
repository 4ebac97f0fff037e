package states

import (
	"errors"
	"testing"
)

// States that wait for each other by prereq are detected while they run.
func TestPrereqOfEachOtherEndsTheRun(t *testing.T) {
	r, _ := newRun(t, tree{"base/a.sls": "x: {test.good: [{prereq: [{test: y}]}]}\ny: {test.good: [{prereq: [{test: x}]}]}\n"}, nil)
	out, err := r.SLS(t.Context(), []string{"a"}, nil)
	var loop *RecursionError
	if out.Errors == nil && !errors.As(err, &loop) {
		t.Error(out, err)
	}
}
