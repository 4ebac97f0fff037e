package minion

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// scheduleCall is one call of the module schedule: want is its comment, or contained in it.
type scheduleCall struct {
	fun    string
	args   []any
	result bool
	want   string
}

// The module changes the schedule of the daemon: in jobs, and in a salt-call beside it, over
// the event bus.
func TestSchedule_Module(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Pillar: wire.NewMap("schedule", wire.NewMap("p", wire.NewMap("function", "test.ping", "hours", int64(1))))})
	cfg := testConfig(t, m)
	cfg.MineEnabled = false
	cfg.Schedule = map[string]any{"o": map[string]any{"function": "test.echo", "args": []any{"x"}, "hours": int64(2)}}
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	waiting.Until(t, "the schedule is read", func() bool {
		a, err := d.schedule.Manage(wire.NewMap("func", "get_next_fire_time", "name", "p"))
		return err == nil && a.String("next_fire_time") != ""
	})
	kw := func(kv ...any) *wire.Map {
		k := wire.NewMap(kv...)
		k.Set("__kwarg__", true)
		return k
	}
	calls := []scheduleCall{
		{"add", []any{"a", kw("function", "test.ping", "seconds", 3600)}, true, "Added job: a to schedule."},
		{"add", []any{"a", kw("function", "test.ping", "seconds", 3600)}, false, "Job a already exists in schedule."},
		{"add", []any{"b", kw("function", "test.ping", "seconds", 1, "when", "5pm")}, false, "Unable to use"},
		{"modify", []any{"a", kw("seconds", 3600)}, true, "Job a in correct state"},
		{"modify", []any{"a", kw("seconds", 60, "test", true)}, true, "Job: a would be modified in schedule."},
		{"modify", []any{"a", kw("seconds", 60)}, true, "Modified job: a in schedule."},
		{"disable_job", []any{"a"}, true, "Disabled Job a in schedule."},
		{"run_job", []any{"a"}, true, "Job a is disabled."},
		{"enable_job", []any{"a"}, true, "Enabled Job a in schedule."},
		{"run_job", []any{"a"}, true, "Scheduling Job a on minion."},
		{"disable_job", []any{"p"}, false, "Failed to disable job p in schedule."},
		{"postpone_job", []any{"a", "2030-01-01T00:00:00", "2030-01-02T00:00:00"}, true, "Postponed Job a in schedule."},
		{"skip_job", []any{"a", "x"}, false, "Date string could not be parsed."},
		{"disable", nil, true, "Disabled schedule on minion."},
		{"enable", nil, true, "Enabled schedule on minion."},
		{"save", nil, true, "Schedule (non-pillar items) saved."},
		{"delete", []any{"p"}, false, "Failed to delete job p from schedule."},
		{"delete", []any{"a"}, true, "Deleted Job a from schedule."},
		{"delete", []any{"a"}, false, "Job a does not exist."},
	}
	check := func(who string, c scheduleCall, got any) {
		t.Helper()
		r, _ := got.(*wire.Map)
		if r == nil || r.Bool("result") != c.result || !strings.Contains(r.String("comment"), c.want) {
			t.Errorf("%s: schedule.%s %v: %#v, want %v and %q", who, c.fun, c.args, got, c.result, c.want)
		}
	}
	for _, c := range calls {
		jid := newJID()
		m.Publish(channeltest.Job(jid, "m1", "schedule."+c.fun, c.args...))
		v, _ := m.AwaitReturn(t, jid).Get("return")
		check("a job", c, v)
	}
	for _, c := range calls {
		res, err := call(t, cfg, CallOptions{Local: true, Fun: "schedule." + c.fun, Args: c.args})
		if err != nil {
			t.Fatal(err)
		}
		check("a salt-call", c, res.Return)
	}
	res, err := call(t, cfg, CallOptions{Local: true, Fun: "schedule.list"})
	want := "schedule:\n  enabled: true\n  o:\n    args:\n    - x\n    enabled: true\n    function: test.echo\n    hours: 2\n    name: o\n    saved: true\n" +
		"  p:\n    enabled: true\n    function: test.ping\n    hours: 1\n    name: p\n    saved: false\n"
	if err != nil || res.Return != want {
		t.Errorf("%v\n%v, want\n%v", err, res.Return, want)
	}
	// The requested run, twice: by the job and by the salt-call.
	ran := 0
	for _, r := range m.Seen("_return") {
		if r.String("schedule") == "a" && r.String("jid") == "req" && r.String("fun") == "test.ping" {
			ran++
		}
	}
	if ran != 2 {
		t.Errorf("%d results of runs that were asked for", ran)
	}
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for _, c := range []scheduleCall{
		{"add", []any{"a", kw("function", "test.ping", "seconds", 3600)}, false, "Failed to add job a to schedule."},
		{"add", []any{"a", kw("function", "test.ping", "seconds", 3600, "offline", true)}, true, "Added job: a to schedule."},
		{"modify", []any{"a", kw("seconds", 60, "offline", true)}, true, "Modified job: a in schedule."},
		{"delete", []any{"a", kw("offline", true)}, true, "Deleted Job a from schedule."},
		{"run_job", []any{"a"}, false, "Job a does not exist."},
	} {
		res, err := call(t, cfg, CallOptions{Local: true, Fun: "schedule." + c.fun, Args: c.args})
		if err != nil {
			t.Fatal(err)
		}
		check("a salt-call without a daemon", c, res.Return)
	}
	if time.Since(began) > askTimeout {
		t.Error("without a daemon a salt-call waits for one")
	}
}
