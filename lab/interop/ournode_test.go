//go:build saltpeer

package interop

import (
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestOurNodeBelowRealTop has a node of ours, with a minion of Salt's and one of
// ours, below a master of masters of Salt's.
func TestOurNodeBelowRealTop(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(p, "top", "order_masters: True", "loop_interval: 5")
		low := w.lower(nil, "node", top)
		w.minion(p, "real", low)
		ours := w.minion(nil, "ours", low)
		top.accept("node")
		low.accept("real", "ours")
		top.joined(0, "syndic", "node")
		low.joined(0, "minion", "real", "ours")

		t.Run("all", func(t *testing.T) {
			mark := top.events.mark()
			r := top.salt("*", "test.ping")
			complete(t, r, 0, "ours real")
			lastReturn(t, top, mark, r)
			jid := top.events.await(t, time.Second, mark, `salt/job/\d+/new`).data.String("jid")
			// salt/job/<jid>/new goes up as well; newer masters of Salt's filter it out.
			for _, tag := range []string{"syndic/node/" + jid, "salt/job/" + jid + "/ret/real", "salt/job/" + jid + "/ret/ours"} {
				if _, ok := top.events.find(mark, tag); !ok {
					t.Errorf("no event %s in %v", tag, top.events.tags(mark))
				}
			}
			jobCache(t, top, p, jid, "ours real", "ours", "real")
		})
		t.Run("targets", func(t *testing.T) {
			complete(t, top.salt("-L", "real,ours", "test.ping"), 0, "ours real")
			complete(t, top.salt("real", "test.ping"), 0, "real")
			complete(t, top.salt("-C", "G@kernel:Linux and not real", "test.ping"), 0, "ours")
		})
		t.Run("failed function", func(t *testing.T) {
			r := top.salt("ours", "cmd.run", "echo no; exit 3")
			complete(t, r, 1, "ours")
			r.want(t, "ours", "no")
		})
		t.Run("top is away during a job", func(t *testing.T) { awayTop(t, top, p, "ours", "real") })
		t.Run("rotation of the top's shared key", func(t *testing.T) {
			rotation(t, top, "ours")
		})
		t.Run("dead minion below", func(t *testing.T) {
			ours.crash()
			r := top.salt("*", "test.ping")
			if r.code != 1 || !strings.Contains(r.text(), "ours") || !strings.Contains(r.text(), "did not return") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
			t.Logf("%v", r.took)
		})
		t.Run("restarted node", func(t *testing.T) {
			low.stop()
			mark := top.events.mark()
			low.start()
			top.joined(mark, "syndic", "node")
			if !waiting.Became(40*time.Second, func() bool { return strings.Contains(top.salt("-L", "real", "test.ping").out, "true") }) {
				t.Error("no answer through the restarted node")
			}
		})
	})
}

// complete fails unless just these minions have answered.
func complete(t *testing.T, r result, code int, ids string) {
	t.Helper()
	if got := r.ids(t); got != ids || r.code != code {
		t.Errorf("%s: answers of %q, exit %d; want %q, %d\n%s", r.line, got, r.code, ids, code, short(r.text()))
	}
	t.Logf("%v: %s", r.took.Round(10*time.Millisecond), strings.Join(strings.Fields(r.line)[3:], " "))
}

// lastReturn logs how long the command went on after it had all it gives.
func lastReturn(t *testing.T, m *node, mark int, r result) {
	t.Helper()
	first, last := span(t, m, mark)
	t.Logf("command %v; from publication to the last return %v", r.took.Round(10*time.Millisecond), last.Sub(first).Round(time.Millisecond))
}

// span gives when the first job since mark was published and when its last return came.
func span(t *testing.T, m *node, mark int) (first, last time.Time) {
	t.Helper()
	job := m.events.await(t, 5*time.Second, mark, `salt/job/\d+/new`)
	ret := "salt/job/" + job.data.String("jid") + "/ret/"
	m.events.await(t, 5*time.Second, mark, ret+".*")
	m.events.each(mark, func(e seen) {
		if strings.HasPrefix(e.tag, ret) {
			last = e.at
		}
	})
	return job.at, last
}

// jobCache asks a master of Salt's what it has kept of a job: the minions it
// expected, at least those in expected, and the returns, just those of ids.
func jobCache(t *testing.T, m *node, p *peer, jid, expected string, ids ...string) {
	t.Helper()
	v := m.run(p, "salt-run", "--out=json", "jobs.list_job", jid).json(t)
	var minions, results []string
	for _, id := range list(v["Minions"]) {
		minions = append(minions, id.(string))
	}
	res, _ := v["Result"].(map[string]any)
	for id := range res {
		results = append(results, id)
	}
	sort.Strings(minions)
	sort.Strings(results)
	if !same(results, ids) || v["Function"] == "unknown-function" {
		t.Errorf("job cache: %s", short(v))
	}
	for _, id := range strings.Fields(expected) {
		if !slices.Contains(minions, id) {
			t.Errorf("job cache: %s is not among the minions %v", id, minions)
		}
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// awayTop stops the top while a job runs below; what was returned meanwhile has
// to be there afterwards.
func awayTop(t *testing.T, top *node, p *peer, ids ...string) {
	mark := top.events.mark()
	if r := top.run(top.Salt, "salt", "--async", "-L", strings.Join(ids, ","), "test.sleep", "4"); r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.text())
	}
	jid := top.events.await(t, 5*time.Second, mark, `salt/job/\d+/new`).data.String("jid")
	low := top.w.find("node")
	low.events.await(t, 10*time.Second, 0, "salt/job/"+jid+"/new")
	top.stop()
	for _, id := range ids {
		low.events.await(t, 30*time.Second, 0, "salt/job/"+jid+"/ret/"+id)
	}
	top.start()
	waiting.Within(t, 60*time.Second, "the returns of the job at the restarted top", func() bool {
		v := top.run(p, "salt-run", "--out=json", "jobs.lookup_jid", jid).json(t)
		return len(v) == len(ids)
	})
	if !waiting.Became(40*time.Second, func() bool { return strings.Contains(top.salt("-L", ids[0], "test.ping").out, "true") }) {
		t.Error("no answer after the restart")
	}
}
