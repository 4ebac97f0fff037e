//go:build saltpeer

package interop

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealMinionsBelowOurKilledNode kills a node of ours with SIGKILL while Salt's minions run jobs
// below it. Each run must be at the top once.
func TestRealMinionsBelowOurKilledNode(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(nil, "top", "order_masters: True")
		low := w.lower(nil, "node", top)
		minions := []*node{w.minion(p, "m1", low), w.minion(p, "m2", low)}
		top.accept("node")
		low.accept("m1", "m2")
		top.joined(0, "syndic", "node")
		low.joined(0, "minion", "m1", "m2")

		t.Run("at work", func(t *testing.T) { killedAtWork(t, top, low, minions...) })
		t.Run("at new jobs", func(t *testing.T) { killedAtNewJobs(t, top, low, minions...) })
		t.Run("afterwards", func(t *testing.T) { complete(t, top.salt("*", "test.ping"), 0, "m1 m2") })
	})
}

// killedAtWork kills a node during two jobs: the first ends while the node is down, the second after
// it is back. The node may be the top itself.
func killedAtWork(t *testing.T, top, killed *node, minions ...*node) {
	mark := top.events.mark()
	early, late := top.async(t, "*", "test.sleep", "8"), top.async(t, "*", "test.sleep", "45")
	waiting.Within(t, 20*time.Second, "all at work on both jobs", func() bool {
		return atWork(early, minions) == len(minions) && atWork(late, minions) == len(minions)
	})
	killed.crash()
	waiting.Within(t, 60*time.Second, "end of the first job", func() bool { return atWork(early, minions) == 0 })
	if n := atWork(late, minions); n != len(minions) {
		t.Fatalf("only %d minions still run the second job when the node comes back: it is too short for this machine", n)
	}
	killed.start()
	if killed != top {
		top.joined(mark, "syndic", killed.ID)
	}
	for _, jid := range []string{early, late} {
		hasReturns(t, top, jid, minions...)
	}
	settled(t, top, minions...)
	for _, jid := range []string{early, late} {
		// The recorder may reconnect to a restarted top after the first returns.
		once(t, top, mark, jid, killed != top, minions...)
	}
}

// atWork counts the minions that are running a job.
func atWork(jid string, minions []*node) (n int) {
	for _, m := range minions {
		if _, err := os.Stat(filepath.Join(m.Dir, "minion-cache", "proc", jid)); err == nil {
			n++
		}
	}
	return n
}

// hasReturns waits until a master has the returns of all minions to a job, and checks that they are true.
func hasReturns(t *testing.T, top *node, jid string, minions ...*node) {
	t.Helper()
	if !waiting.Became(4*time.Minute, func() bool { return len(top.lookup(t, jid)) == len(minions) }) {
		t.Fatalf("returns to %s at %s: %s, want %d", jid, top.ID, short(top.lookup(t, jid)), len(minions))
	}
	for id, v := range top.lookup(t, jid) {
		if v != true {
			t.Errorf("%s returned %v to %s", id, v, jid)
		}
	}
}

// once fails if the master fired a return twice, or never although seen is set.
func once(t *testing.T, top *node, mark int, jid string, seen bool, minions ...*node) {
	t.Helper()
	for _, m := range minions {
		if n := top.returned(mark, jid, m.ID); n > 1 || n == 0 && seen {
			t.Errorf("%d returns of %s to %s at %s", n, m.ID, jid, top.ID)
		}
	}
}

// killedAtNewJobs kills the node between jobs that follow each other. Salt's minions may miss some,
// as at any master; each run must be at the top.
func killedAtNewJobs(t *testing.T, top, low *node, minions ...*node) {
	runs := filepath.Join(top.Dir, "runs")
	if err := os.Mkdir(runs, 0o700); err != nil {
		t.Fatal(err)
	}
	mark := top.events.mark()
	var jids []string
	for n := range 14 {
		// The return is the name of a new file.
		jids = append(jids, top.async(t, "*", "cmd.run", "mktemp "+filepath.Join(runs, strconv.Itoa(n)+".XXXXXX")))
		switch n {
		case 6:
			low.crash()
		case 8:
			low.start()
		}
	}
	top.joined(mark, "syndic", "node")
	settled(t, top, minions...)
	var ran, came []string
	if !waiting.Became(4*time.Minute, func() bool {
		ran, came = nil, nil
		files, err := os.ReadDir(runs)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			ran = append(ran, filepath.Join(runs, f.Name()))
		}
		for _, jid := range jids {
			for _, v := range top.lookup(t, jid) {
				s, _ := v.(string)
				came = append(came, s)
			}
		}
		slices.Sort(ran)
		slices.Sort(came)
		return slices.Equal(ran, came)
	}) {
		t.Errorf("runs and returns differ:\nrun      %v\nreturned %v", ran, came)
	}
	for _, jid := range jids {
		once(t, top, mark, jid, false, minions...)
	}
	for n, jid := range jids {
		closed(t, top, n, jid)
	}
	t.Logf("%d of %d were run", len(ran), 2*len(jids))
	if len(ran) < 2*6 {
		t.Errorf("%d runs: fewer than before the node was killed", len(ran))
	}
}

// closed waits until the top has closed a job that accounts for both minions: returned, or missing
// with a reason.
func closed(t *testing.T, top *node, n int, jid string) {
	t.Helper()
	var step map[string]any
	if !waiting.Became(time.Minute, func() bool {
		step = top.run(nil, "salt-run", "--out=json", "topology.trace", jid).json(t)
		number := func(name string) int {
			f, _ := step[name].(float64)
			return int(f)
		}
		return step["state"] == "closed" && number("expected") == 2 &&
			number("returned")+number("failed")+number("missing_count") == 2 &&
			number("returned") == len(top.lookup(t, jid))
	}) {
		t.Errorf("the account of job %d is not closed with both minions: %s", n, short(step))
	}
	for _, m := range list(step["missing"]) {
		row, _ := m.(map[string]any)
		t.Logf("job %d: missing %v at %v: %v", n, row["id"], row["path"], row["reason"])
		if row["reason"] == "" {
			t.Errorf("job %d: no reason why %v is missing", n, row["id"])
		}
	}
}

// async starts a job with `salt --async` and returns its jid.
func (n *node) async(t *testing.T, args ...string) string {
	t.Helper()
	r := n.run(n.Salt, "salt", append([]string{"--async"}, args...)...)
	_, jid, ok := strings.Cut(strings.TrimSpace(r.out), "Executed command with job ID: ")
	if r.code != 0 || !ok {
		t.Fatalf("%s: exit %d\n%s", r.line, r.code, r.text())
	}
	return jid
}

// lookup asks a master for the returns of a job.
func (n *node) lookup(t *testing.T, jid string) map[string]any {
	t.Helper()
	return n.run(n.Salt, "salt-run", "--out=json", "jobs.lookup_jid", jid).json(t)
}

// returned counts the events of a return since mark.
func (n *node) returned(mark int, jid, id string) (count int) {
	n.events.each(mark, func(e seen) {
		if e.tag == "salt/job/"+jid+"/ret/"+id {
			count++
		}
	})
	return count
}

// settled waits until a ping through the whole tree is answered: earlier messages have arrived then.
func settled(t *testing.T, top *node, minions ...*node) {
	t.Helper()
	var ids []string
	for _, m := range minions {
		ids = append(ids, m.ID)
	}
	waiting.Within(t, 2*time.Minute, "answers of all minions", func() bool {
		return top.salt("*", "test.ping").ids(t) == strings.Join(ids, " ")
	})
}
