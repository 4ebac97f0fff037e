//go:build saltpeer

package interop

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestOurMinionAtRealMaster has a minion of ours, and one of Salt's for targets
// that mean both, at a master of Salt's.
func TestOurMinionAtRealMaster(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(p, "top", "timeout: 3", "gather_job_timeout: 3", "max_event_size: 16777216", "loop_interval: 5")
		write(t, filepath.Join(m.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - who\n")
		write(t, filepath.Join(m.Dir, "pillar", "who.sls"), "who: people\ndeep: {list: [1, 2.5, null]}\n")
		ours := w.minion(nil, "ours", m, "sign_pub_messages: True")
		w.minion(p, "real", m)

		t.Run("pending until salt-key accepts", func(t *testing.T) {
			waiting.Within(t, time.Minute, "pending key", func() bool { return m.pending("real") && m.pending("ours") })
			if r := m.run(p, "salt-key", "-y", "-A"); r.code != 0 || !strings.Contains(r.out, "ours") {
				t.Fatalf("salt-key -A: exit %d\n%s", r.code, r.text())
			}
			m.joined(0, "minion", "ours", "real")
			e, ok := m.events.find(0, "minion_start")
			if !ok || !strings.Contains(e.data.String("data"), " started at ") {
				t.Errorf("minion_start: %v", e.data)
			}
		})
		minionCases(t, m, "ours", "real")
		t.Run("pillar", func(t *testing.T) {
			m.salt("ours", "pillar.items").want(t, "ours", map[string]any{"who": "people", "deep": map[string]any{"list": []any{1, 2.5, nil}}})
			m.salt("-I", "who:people", "test.ping").want(t, "ours", true)
		})
		t.Run("sys.doc", func(t *testing.T) {
			r := m.run(p, "salt", "ours", "sys.doc", "test.ping")
			if r.code != 0 || !strings.Contains(r.out, "test.ping:") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
		})
		t.Run("manage.status", func(t *testing.T) {
			r := m.run(p, "salt-run", "--out=json", "manage.status")
			up, _ := r.json(t)["up"].([]any)
			if !strings.Contains(short(up), "ours") {
				t.Errorf("%s", r.text())
			}
		})
		t.Run("salt-call", func(t *testing.T) { saltCall(t, m, ours) })
		t.Run("job cache", func(t *testing.T) {
			mark := m.events.mark()
			m.salt("ours", "test.echo", "remember")
			jid := m.events.await(t, 5*time.Second, mark, `salt/job/\d+/new`).data.String("jid")
			v := m.run(p, "salt-run", "--out=json", "jobs.lookup_jid", jid).json(t)
			if !same(v["ours"], "remember") {
				t.Errorf("%s", short(v))
			}
		})
		t.Run("rotation of the shared key", func(t *testing.T) { rotation(t, m, "ours") })
		t.Run("real master restarts", func(t *testing.T) {
			m.stop()
			m.start()
			if !waiting.Became(40*time.Second, func() bool { return strings.Contains(m.salt("ours", "test.ping").out, "true") }) {
				t.Error("no answer after the restart")
			}
		})
		t.Run("restarted minion", func(t *testing.T) {
			ours.crash()
			mark := m.events.mark()
			ours.start()
			m.joined(mark, "minion", "ours")
			m.salt("ours", "test.ping").want(t, "ours", true)
		})
		t.Run("deleted key", func(t *testing.T) {
			if r := m.run(p, "salt-key", "-y", "-d", "ours"); r.code != 0 {
				t.Fatalf("salt-key -d: exit %d\n%s", r.code, r.text())
			}
			if r := m.salt("ours", "test.ping"); strings.Contains(r.out, "true") {
				t.Errorf("a minion without key answers: %s", r.text())
			}
		})
	})
}

// saltCall runs functions at the minion; their returns and events belong to the master.
func saltCall(t *testing.T, m, minion *node) {
	call := func(args ...string) result {
		return minion.run(nil, "salt-call", append([]string{"--out=json"}, args...)...)
	}
	mark := m.events.mark()
	if r := call("test.echo", "from the minion"); r.code != 0 || !same(r.json(t)["local"], "from the minion") {
		t.Fatalf("exit %d\n%s", r.code, r.text())
	}
	jid := m.events.await(t, 10*time.Second, mark, `salt/job/\d+/ret/ours`).data.String("jid")
	v := m.run(m.Salt, "salt-run", "--out=json", "jobs.lookup_jid", jid).json(t)
	if !same(v["ours"], "from the minion") {
		t.Errorf("job cache of the master: %s", short(v))
	}
	mark = m.events.mark()
	if r := call("event.send", "my/tag", "{a: 1}"); r.code != 0 {
		t.Errorf("event.send: exit %d\n%s", r.code, r.text())
	}
	e := m.events.await(t, 10*time.Second, mark, "my/tag")
	if e.data.String("id") != "ours" || e.data.Map("data") == nil || e.data.Map("data").Int("a") != 1 {
		t.Errorf("event %v", e.data)
	}
	if r := call("pillar.get", "who"); !same(r.json(t)["local"], "people") {
		t.Errorf("pillar.get: exit %d\n%s", r.code, r.text())
	}
	if r := call("cmd.run", "exit 5"); r.code == 0 {
		t.Errorf("cmd.run 'exit 5': exit 0")
	}
}

// TestStrictOurMinion has everything signed and filtered that can be. All minions are
// ours: what Salt's sign before 3006.26 is refused by Salt's masters.
func TestStrictOurMinion(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(p, "top", "zmq_filtering: True", "require_minion_sign_messages: True", "drop_messages_signature_fail: True",
			"signing_algorithm: PKCS1v15-SHA1")
		w.minion(nil, "ours", m, "zmq_filtering: True", "sign_pub_messages: True", "minion_sign_messages: True")
		w.minion(nil, "also", m, "zmq_filtering: True", "sign_pub_messages: True", "minion_sign_messages: True")
		m.accept("ours", "also")
		m.joined(0, "minion", "ours", "also")
		signedCases(t, m, "ours", "also")
	})
}
