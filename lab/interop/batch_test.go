//go:build saltpeer

package interop

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestBatchOfSalt3008InTheMaster hands batches of Salt 3008 (salt -b --async) over to a master of ours
// above a node, and asks Salt's runner and ours how far they are.
func TestBatchOfSalt3008InTheMaster(t *testing.T) {
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

		for _, size := range []string{"1", "50%"} {
			mark := top.events.mark()
			jid := handedOver(t, top, p, "-b", size, "--async", "*", "test.ping")
			ours := ended(t, top, nil, jid)
			if ours["completed"] != 3.0 || ours["failed"] != 0.0 || ours["halted"] != false || ours["driver"] != "master" {
				t.Errorf("-b %s ended as %v", size, ours)
			}
			agree(t, ours, ended(t, top, p, jid))
			oneJob(t, top, mark, "a", "b", "c")
		}

		jid := handedOver(t, top, p, "-b", "1", "--async", "*", "test.sleep", "20")
		if r := top.run(p, "salt-run", "--out=json", "batch.list_active"); !regexp.MustCompile(jid).MatchString(r.out) {
			t.Errorf("Salt's batch.list_active: %s", r.text())
		}
		if r := top.run(p, "salt-run", "--out=json", "batch.stop", jid); r.code != 0 {
			t.Errorf("Salt's batch.stop: %s", r.text())
		}
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
			got := batchStatus(t, top, nil, jid)
			if got["halted"] == true {
				agree(t, got, batchStatus(t, top, p, jid))
				if got["halted_reason"] != "stop" || got["pending"] != 2.0 {
					t.Errorf("stopped as %v", got)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("batch %s goes on: %v", jid, got)
			}
		}
	})
}

// handedOver starts a batch by Salt's command.
func handedOver(t *testing.T, n *node, p *peer, args ...string) (jid string) {
	t.Helper()
	r := n.run(p, "salt", args...)
	m := regexp.MustCompile(`Executed batch command with job ID: (\d{20})`).FindStringSubmatch(r.out)
	if r.code != 0 || m == nil {
		t.Fatalf("salt %v: exit %d: %s", args, r.code, r.text())
	}
	return m[1]
}

// batchStatus asks a runner, Salt's or ours, how far a batch is.
func batchStatus(t *testing.T, n *node, p *peer, jid string) (m map[string]any) {
	t.Helper()
	r := n.run(p, "salt-run", "--out=json", "batch.status", jid)
	if err := json.Unmarshal([]byte(r.out), &m); err != nil || m == nil {
		t.Fatalf("batch.status %s: %v: %s", jid, err, r.text())
	}
	return m
}

// ended waits for the end of a batch.
func ended(t *testing.T, n *node, p *peer, jid string) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		m := batchStatus(t, n, p, jid)
		if m["active"] == 0.0 && m["pending"] == 0.0 {
			return m
		}
		if time.Now().After(deadline) {
			t.Fatalf("batch %s goes on: %v", jid, m)
		}
	}
}

// agree checks that both runners report the same, except for the age.
func agree(t *testing.T, ours, salts map[string]any) {
	t.Helper()
	for _, k := range slices.Sorted(maps.Keys(bothMaps(ours, salts))) {
		a, inOurs := ours[k]
		b, inSalts := salts[k]
		if inOurs != inSalts || k != "age_seconds" && a != b {
			t.Errorf("%s: ours %v, Salt's %v", k, a, b)
		}
	}
}

func bothMaps(a, b map[string]any) map[string]any {
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}
