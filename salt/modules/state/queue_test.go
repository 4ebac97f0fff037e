package state

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// busy is a minion with other running jobs.
type busy struct {
	modules.Env
	modules.JobTable
	funs []string
}

func (b busy) Jobs() modules.JobTable { return b }
func (b busy) Option(string) any      { return nil }

func (b busy) Running() (out []modules.Job) {
	for i, fun := range b.funs {
		out = append(out, modules.Job{JID: "2024010100000000000" + string(rune('1'+i)), PID: 7, Load: value.NewMap("fun", fun)})
	}
	return out
}

// concurrent=True runs states beside another run. Without it, the result lists the other
// run, with retcode 1.
func TestConcurrent(t *testing.T) {
	for _, c := range []struct {
		what     string
		funs     []string
		kwargs   *value.Map
		conflict bool
	}{
		{"alone", nil, value.NewMap(), false},
		{"beside a job without states", []string{"test.sleep"}, value.NewMap(), false},
		{"beside states", []string{"state.apply"}, value.NewMap(), true},
		{"concurrent is false", []string{"state.apply"}, value.NewMap("concurrent", false), true},
		{"concurrent", []string{"state.apply", "state.sls"}, value.NewMap("concurrent", true), false},
		{"concurrent, with a queue that is full", []string{"state.apply"}, value.NewMap("concurrent", true, "queue", int64(1)), false},
		{"a queue that is full", []string{"state.apply"}, value.NewMap("queue", int64(1)), true},
	} {
		call := &modules.Call{Env: busy{funs: c.funs}, JID: "20240101000000000009", Kwargs: c.kwargs}
		conflict, err := begin(t.Context(), call, nil)
		if err != nil || (len(conflict) == 1) != c.conflict || (call.Retcode == 1) != c.conflict {
			t.Errorf("%s: %v, retcode %d, %v", c.what, conflict, call.Retcode, err)
		}
		if len(conflict) == 1 && !strings.HasPrefix(conflict[0].(string), `The function "state.apply" is running as PID 7 and was started at 2024, Jan 01 `) {
			t.Errorf("%s: %v", c.what, conflict)
		}
	}
}

// queue=True waits for the runs that began before this one, not for later ones.
func TestQueue_WaitsForEarlierRuns(t *testing.T) {
	for id, want := range map[string]int{
		"20240101000000000009": 2, "20240101000000000002": 1, "20240101000000000001": 0, "20240101000000000009_77": 2, "no number": 2,
	} {
		call := &modules.Call{Env: busy{funs: []string{"state.apply", "state.sls"}}, JID: id, Kwargs: value.NewMap()}
		if got := len(earlier(call)); got != want {
			t.Errorf("%s: %d runs before it, want %d", id, got, want)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	call := &modules.Call{Env: busy{funs: []string{"state.apply"}}, JID: "20240101000000000009", Kwargs: value.NewMap()}
	if conflict, err := begin(gone, call, true); err == nil || conflict != nil {
		t.Errorf("a run beside another one does not wait: %v, %v", conflict, err)
	}
}
