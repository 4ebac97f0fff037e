//go:build saltpeer

package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// minionCases are the jobs that every minion serves at every master. id is the
// minion that is judged, other a second one. What needs a shell says so: newer
// minions of Salt's do not take one unasked.
func minionCases(t *testing.T, m *node, id, other string) {
	both := other + " " + id
	if id < other {
		both = id + " " + other
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		ids  string
		ok   func(t *testing.T, r result)
	}{
		{"ping", []string{id, "test.ping"}, 0, id, wants(id, true)},
		{"all", []string{"*", "test.ping"}, 0, both, wants(id, true)},
		{"list", []string{"-L", id + "," + other, "test.ping"}, 0, both, wants(id, true)},
		{"regular expression", []string{"-E", "(" + id + "|nobody)", "test.ping"}, 0, id, wants(id, true)},
		{"grain", []string{"-G", "id:" + id, "test.ping"}, 0, id, wants(id, true)},
		{"grain by regular expression", []string{"-P", "kernel:^Lin", "test.ping"}, 0, both, wants(id, true)},
		{"compound", []string{"-C", id + " and G@kernel:Linux and not L@" + other, "test.ping"}, 0, id, wants(id, true)},
		{"keyword arguments", []string{id, "test.arg", "1", "two", "three=3", "four=[4, 4.5]"}, 0, id, func(t *testing.T, r result) {
			v, _ := r.json(t)[id].(map[string]any)
			if !same(v["args"], []any{1, "two"}) {
				t.Errorf("args %s", short(v["args"]))
			}
			kw, _ := v["kwargs"].(map[string]any)
			if !same(kw["three"], 3) || !same(kw["four"], []any{4, 4.5}) {
				t.Errorf("kwargs %s", short(kw))
			}
		}},
		{"unicode", []string{id, "test.echo", "Grüße 東京"}, 0, id, wants(id, "Grüße 東京")},
		{"cmd.run", []string{id, "cmd.run", "echo out; echo err >&2", "python_shell=True"}, 0, id, wants(id, "out\nerr")},
		{"failing cmd.run", []string{id, "cmd.run", "echo no; exit 3", "python_shell=True"}, 1, id, wants(id, "no")},
		{"cmd.run_all", []string{id, "cmd.run_all", "echo out; echo err >&2; exit 3", "python_shell=True"}, 1, id, func(t *testing.T, r result) {
			v, _ := r.json(t)[id].(map[string]any)
			if !same(v["retcode"], 3) || !same(v["stdout"], "out") || !same(v["stderr"], "err") {
				t.Errorf("%s", short(v))
			}
		}},
		{"grains", []string{id, "grains.items"}, 0, id, func(t *testing.T, r result) {
			v, _ := r.json(t)[id].(map[string]any)
			if !same(v["id"], id) || !same(v["kernel"], "Linux") || v["master"] == nil {
				t.Errorf("%s", short(v))
			}
		}},
		{"several functions", []string{id, "test.ping,test.echo,cmd.run", ",", "hello,", "'false'"}, 1, id, func(t *testing.T, r result) {
			v, _ := r.json(t)[id].(map[string]any)
			if !same(v["test.ping"], true) || !same(v["test.echo"], "hello") {
				t.Errorf("%s", short(v))
			}
		}},
		{"no such function", []string{id, "nosuch.function"}, 1, id, wants(id, "'nosuch.function' is not available.")},
		{"wrong arguments", []string{id, "test.echo"}, 1, id, func(t *testing.T, r result) {
			if s, _ := r.json(t)[id].(string); !strings.Contains(s, "test.echo") || !strings.Contains(s, "argument") {
				t.Errorf("%s", short(s))
			}
		}},
		{"state without keyword arguments", []string{id, "state.single", "user.absent", "nobody-of-this-name"}, 0, id, withoutFields(id)},
		{"5 MiB", []string{id, "cmd.run", "head -c 5242880 /dev/zero | tr '\\0' x", "python_shell=True"}, 0, id, wantsLong(id, 5242880)},
		{"nobody", []string{"-L", id + ",ghost", "test.ping"}, 1, "", func(t *testing.T, r result) {
			if !strings.Contains(r.text(), "ghost") {
				t.Errorf("nothing is said of ghost: %s", r.text())
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := m.salt(c.args...)
			if r.code != c.code {
				t.Errorf("%s: exit %d, want %d\n%s", r.line, r.code, c.code, short(r.text()))
			}
			if c.ids != "" {
				if got := r.ids(t); got != c.ids {
					t.Errorf("%s: answers of %q, want %q\n%s", r.line, got, c.ids, short(r.text()))
				}
			}
			c.ok(t, r)
			t.Logf("%v", r.took)
		})
	}
	t.Run("long job", func(t *testing.T) { longJob(t, m, id) })
}

func wants(id string, want any) func(*testing.T, result) {
	return func(t *testing.T, r result) { r.want(t, id, want) }
}

// withoutFields refuses a state.single that failed. A Python minion hands each field of a publication that Salt does not
// know to the state, and user.absent takes none.
func withoutFields(id string) func(*testing.T, result) {
	return func(t *testing.T, r result) {
		states, _ := r.json(t)[id].(map[string]any)
		if len(states) != 1 {
			t.Errorf("%s: %s", r.line, short(r.text()))
		}
		for tag, v := range states {
			if one, _ := v.(map[string]any); one["result"] != true {
				t.Errorf("%s: %s: %s", r.line, tag, short(v))
			}
		}
	}
}

func wantsLong(id string, n int) func(*testing.T, result) {
	return func(t *testing.T, r result) {
		if s, _ := r.json(t)[id].(string); len(s) != n {
			t.Errorf("%s: %d bytes, want %d: %s", r.line, len(s), n, short(s))
		}
	}
}

// longJob finds a job that runs, shows it among the running ones, and ends it.
func longJob(t *testing.T, m *node, id string) {
	mark := m.events.mark()
	if r := m.run(m.Salt, "salt", "--async", id, "test.sleep", "120"); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.text())
	}
	jid := m.events.await(t, 5*time.Second, mark, `salt/job/\d+/new`).data.String("jid")
	waiting.Within(t, 15*time.Second, "find_job", func() bool {
		v, _ := m.salt(id, "saltutil.find_job", jid).json(t)[id].(map[string]any)
		return v["fun"] == "test.sleep" && v["jid"] == jid
	})
	// A busy machine may need longer than the time-outs of the master.
	v, _ := m.salt("-t", "30", id, "saltutil.running").json(t)[id].([]any)
	if !strings.Contains(short(v), jid) {
		t.Errorf("saltutil.running lacks %s: %s", jid, short(v))
	}
	m.salt("-t", "30", id, "saltutil.find_job", "20200101000000000000").want(t, id, map[string]any{})
	if r := m.salt("-t", "30", id, "saltutil.kill_job", jid); r.code != 0 || !strings.Contains(r.out, jid) {
		t.Errorf("kill_job: exit %d: %s", r.code, r.text())
	}
	waiting.Within(t, 15*time.Second, "end of the job", func() bool {
		return same(m.salt(id, "saltutil.find_job", jid).json(t)[id], map[string]any{})
	})
}
