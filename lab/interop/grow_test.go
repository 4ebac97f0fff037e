//go:build saltpeer

package interop

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestBatchOfSalt3008 runs batches of Salt 3008, which publishes all slices under one jid, on the
// host of a tree of ours.
func TestBatchOfSalt3008(t *testing.T) {
	with8(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(nil, "top", "order_masters: True")
		low := w.lower(nil, "node", top)
		w.minion(nil, "a", top)
		w.minion(p, "b", low)
		w.minion(nil, "c", low)
		top.accept("node", "a")
		low.accept("b", "c")
		top.joined(0, "syndic", "node")
		top.joined(0, "minion", "a")
		low.joined(0, "minion", "b", "c")

		for _, size := range []string{"1", "2", "50%"} {
			mark := top.events.mark()
			r := top.run(p, "salt", "-b", size, "*", "test.ping")
			for _, id := range []string{"a", "b", "c"} {
				if r.code != 0 || !regexp.MustCompile(`(?m)^`+id+`:\s+True`).MatchString(r.out) {
					t.Errorf("-b %s: exit %d, without %s:\n%s", size, r.code, id, r.text())
				}
			}
			oneJob(t, top, mark, "a", "b", "c")
		}
	})
}

// TestBatchFromSalt3008 runs them at a master of Salt 3008 above a node of ours.
func TestBatchFromSalt3008(t *testing.T) {
	with8(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(p, "top", "order_masters: True")
		low := w.lower(nil, "node", top, "order_masters: True")
		deep := w.lower(nil, "deep", low)
		w.minion(nil, "a", low)
		w.minion(p, "b", low)
		w.minion(nil, "c", deep)
		top.accept("node")
		low.accept("deep", "a", "b")
		deep.accept("c")
		top.joined(0, "syndic", "node")
		low.joined(0, "minion", "a", "b")
		deep.joined(0, "minion", "c")
		time.Sleep(2 * time.Second) // Salt's syndic side has no word for a node further below

		mark := low.events.mark()
		r := top.run(p, "salt", "-b", "1", "-L", "a,b,c", "test.ping")
		for _, id := range []string{"a", "b", "c"} {
			if r.code != 0 || !regexp.MustCompile(`(?m)^`+id+`:\s+True`).MatchString(r.out) {
				t.Errorf("exit %d, without %s:\n%s", r.code, id, r.text())
			}
		}
		oneJob(t, low, mark, "a", "b", "c")
	})
}

// oneJob wants the newest job of a master, which was published in at least two slices, to have
// returned from those minions.
func oneJob(t *testing.T, n *node, mark int, ids ...string) {
	t.Helper()
	jid, count := "", 0
	n.events.each(mark, func(e seen) {
		parts := strings.Split(e.tag, "/")
		switch {
		case len(parts) != 4 || parts[0] != "salt" || parts[3] != "new" || e.data.String("tgt_type") != "list":
		case parts[2] == jid:
			count++
		case parts[2] > jid:
			jid, count = parts[2], 1
		}
	})
	if count < 2 {
		t.Errorf("job %s was published %d times under its jid", jid, count)
	}
	got := n.run(nil, "salt-run", "--out=json", "jobs.lookup_jid", jid).ids(t)
	if want := strings.Join(ids, " "); got != want {
		t.Errorf("jobs.lookup_jid %s: %q, want %q", jid, got, want)
	}
}
