//go:build saltpeer

package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// clockTimes are times of the clock in results.
var clockTimes = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)

// TestScheduleFunctions has a minion of ours and one of Salt's answer the same calls of the
// module schedule, and save the same file.
func TestScheduleFunctions(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top", "peer: {'.*': ['schedule.*']}")
		write(t, filepath.Join(m.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - jobs\n")
		write(t, filepath.Join(m.Dir, "pillar", "jobs.sls"), "schedule:\n  of_pillar:\n    function: test.ping\n    hours: 5\n    enabled: True\n")
		const option = "schedule: {of_option: {function: test.echo, args: [hello], hours: 3}}"
		w.minion(nil, "ours", m, option)
		w.minion(p, "real", m, option)
		m.accept("ours", "real")
		m.joined(0, "minion", "ours", "real")
		waiting.Within(t, time.Minute, "both have looked at their schedules", func() bool {
			r := m.salt("*", "schedule.show_next_fire_time", "of_option").json(t)
			return strings.Contains(short(r["ours"]), "T") && strings.Contains(short(r["real"]), "T")
		})
		for _, line := range []string{
			"save", "list", "list show_all=True return_yaml=False", "list where=opts", "list where=pillar return_yaml=False",
			"is_enabled", "is_enabled of_option", "is_enabled nosuch", "is_enabled name=of_pillar",
			"build_schedule_item b function=test.ping seconds=3600",
			"build_schedule_item b function=test.ping seconds=3600 when=5:00pm",
			"build_schedule_item b function=test.ping when=5:00pm cron='* * * * *'",
			"build_schedule_item b function=test.ping when=whenever",
			"build_schedule_item b function=test.ping hours=1 jid_include=False", "build_schedule_item b function=test.ping job_args=x", "build_schedule_item b function=test.ping job_kwargs=x",
			"build_schedule_item b function=test.ping splay='{end: 9, start: 3, x: 1}' hours=1 maxrunning=3 enabled=False metadata='{a: 1}'",
			"build_schedule_item b function=test.ping cron='*/5 * * * *' range='{start: 8am, end: 9am}' returner=mysql return_job=False until='2030-01-01'",
			"add a1 function=test.ping seconds=3600", "add a1 function=test.ping seconds=3600",
			"add a2 function=test.ping seconds=10 cron='* * * * *'", "add a2 function=test.ping test=True",
			"add a2 function=test.arg job_args='[1, two]' job_kwargs='{x: [1, 2]}' hours=2 splay=10",
			"add a3 function=test.ping minutes=7 persist=False",
			"list", "list show_disabled=False", "modify a1 seconds=3600", "modify a1 seconds=1800 test=True", "modify a1 seconds=1800",
			"modify nosuch seconds=3", "modify a1 seconds=3 when=5pm", "modify of_pillar hours=1", "list return_yaml=False",
			"disable_job a1", "list show_disabled=False", "run_job a1", "enable_job a1", "enable_job nosuch", "disable_job nosuch test=True",
			"disable_job nosuch", "enable_job of_pillar", "disable_job of_pillar", "run_job nosuch", "run_job a1",
			"skip_job a1 2030-01-01T00:00:00", "skip_job a1 whenever", "skip_job nosuch 2030-01-01T00:00:00",
			"postpone_job a1 2030-01-01T00:00:00 2030-01-02T00:00:00", "postpone_job a1 2030-01-01 x",
			"show_next_fire_time a1", "show_next_fire_time nosuch", "job_status nosuch",
			"disable", "is_enabled", "disable test=True", "list", "enable", "is_enabled", "save", "save test=True", "reload",
			"delete a3", "delete nosuch", "delete a2 test=True", "delete of_pillar", "delete a2", "list",
			"add a4 function=test.ping when='[5:00pm, 6:00pm]' once=x", "add a5 function=test.ping hours=1 range='{start: 8am, end: 9am}'",
			"list", "save", "purge test=True", "purge", "list show_all=True",
		} {
			if strings.Contains(p.Version, " 3006.0") && strings.Contains(line, "jid_include=False") {
				continue // it leaves it out, so that it has no effect; later ones do not
			}
			t.Run(line, func(t *testing.T) {
				got := m.salt(append([]string{"*"}, words("schedule."+line)...)...).json(t)
				ours, theirs := clockTimes.ReplaceAllString(long(got["ours"]), "TIME"), clockTimes.ReplaceAllString(long(got["real"]), "TIME")
				if ours != theirs {
					t.Errorf("ours\n%s\nSalt's\n%s", ours, theirs)
				}
				saved := func(id string) string {
					b, err := os.ReadFile(filepath.Join(w.find(id).Conf, "minion.d", "_schedule.conf"))
					if err != nil {
						return ""
					}
					return string(b)
				}
				// What is new gets some of its fields when the schedulers look at it.
				if line == "save" && !waiting.Became(20*time.Second, func() bool {
					m.salt("*", "schedule.save")
					return saved("ours") == saved("real") && saved("ours") != ""
				}) {
					t.Errorf("ours saves\n%s\nSalt's\n%s", saved("ours"), saved("real"))
				}
			})
		}
	})
}

// words parts a line at blanks that are not between quotes.
func words(line string) []string {
	var out []string
	quoted := false
	for f := range strings.FieldsFuncSeq(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	}) {
		out = append(out, strings.ReplaceAll(f, "'", ""))
	}
	return out
}

// long is a value in many lines.
func long(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestScheduledReturns has what minions run by the clock be in the list of jobs of the top,
// each run once: of Salt's and of our minions, flat and below a node, ours and Salt's.
func TestScheduledReturns(t *testing.T) {
	const option = "schedule: {often: {function: test.arg, args: [mark], kwargs: {a: 1}, seconds: 2, metadata: {why: that}}, " +
		"quiet: {function: test.echo, args: [quiet], seconds: 3, return_job: False}, unkept: {function: test.echo, args: [unkept], seconds: 3, return_job: nocache}}"
	for _, c := range []struct {
		name       string
		top, below func(p *peer) *peer
		flat       bool
	}{
		{"our master", ours, ours, true},
		{"our node below our master", ours, ours, false},
		{"Salt's syndic below our master", ours, theirs, false},
		{"our node below Salt's master", theirs, ours, false},
		{"Salt's master", theirs, theirs, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			withPeers(t, func(t *testing.T, p *peer) {
				w := newWorld(t)
				top := w.master(c.top(p), "top", "order_masters: True")
				m := top
				if !c.flat {
					m = w.lower(c.below(p), "mid", top)
					top.accept("mid")
					top.joined(0, "syndic", "mid")
				}
				w.minion(nil, "ours", m, option)
				w.minion(p, "real", m, option)
				m.accept("ours", "real")
				m.joined(0, "minion", "ours", "real")
				for _, id := range []string{"ours", "real"} {
					m.events.await(t, time.Minute, 0, "salt/job/nocache/ret/"+id)
					waiting.Within(t, time.Minute, "three runs of "+id, func() bool { return ran(t, w, id, "often") >= 3 })
				}
				waiting.Within(t, time.Minute, "both schedules are off", func() bool { return m.salt("*", "schedule.disable").ids(t) == "ours real" })
				var seen map[string]int
				if !waiting.Became(30*time.Second, func() bool {
					seen = listed(t, top)
					return seen["ours"] == ran(t, w, "ours", "often") && seen["real"] == ran(t, w, "real", "often")
				}) {
					t.Errorf("the list has %v of test.arg, and there were %d runs of ours and %d of Salt's", seen, ran(t, w, "ours", "often"), ran(t, w, "real", "often"))
				}
				if seen["other"] > 0 {
					t.Errorf("%d runs are listed whose results were not to be", seen["other"])
				}
			})
		})
	}
}

func ours(*peer) *peer     { return nil }
func theirs(p *peer) *peer { return p }

// ran counts the runs of a job that the log of a minion has.
func ran(t *testing.T, w *world, id, job string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.find(id).Dir, "log", "minion"))
	if err != nil {
		return 0
	}
	return strings.Count(string(b), "Running scheduled job: "+job)
}

// listed counts the jobs of test.arg in the list of a master by their minions, and other ones
// that the schedules name.
func listed(t *testing.T, m *node) map[string]int {
	t.Helper()
	jobs := m.run(m.Salt, "salt-run", "jobs.list_jobs", "--out=json").json(t)
	out := map[string]int{}
	for _, v := range jobs {
		j, _ := v.(map[string]any)
		switch id, _ := j["Target"].(string); j["Function"] {
		case "test.arg":
			out[id]++
		case "test.echo":
			out["other"]++
		}
	}
	return out
}
