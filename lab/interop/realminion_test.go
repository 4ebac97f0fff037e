//go:build saltpeer

package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealMinionAtOurMaster has a minion of Salt's, and one of ours for targets
// that mean both, at a master of ours.
func TestRealMinionAtOurMaster(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top", "timeout: 2", "gather_job_timeout: 6", "max_event_size: 16777216")
		real := w.minion(p, "real", m, "sign_pub_messages: True", "max_event_size: 16777216")
		w.minion(nil, "ours", m)
		write(t, filepath.Join(m.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - who\n")
		write(t, filepath.Join(m.Dir, "pillar", "who.sls"), "who: people\n")

		t.Run("pending until salt-key accepts", func(t *testing.T) {
			waiting.Within(t, time.Minute, "pending key", func() bool { return m.pending("real") && m.pending("ours") })
			if r := m.salt("real", "test.ping"); r.code == 0 || strings.Contains(r.out, "true") {
				t.Errorf("a pending minion is answered for: exit %d\n%s", r.code, r.text())
			}
			if r := m.run(p, "salt-key", "-y", "-A"); r.code != 0 || !strings.Contains(r.out, "real") {
				t.Fatalf("salt-key -A: exit %d\n%s", r.code, r.text())
			}
			m.joined(0, "minion", "real", "ours")
		})
		minionCases(t, m, "real", "ours")

		t.Run("our master restarts", func(t *testing.T) {
			m.stop()
			mark := m.events.mark()
			m.start()
			if !waiting.Became(40*time.Second, func() bool { return m.salt("real", "test.ping").code == 0 }) {
				t.Fatalf("no answer after the restart; events %v", m.events.tags(mark))
			}
		})
		t.Run("rotation of the shared key", func(t *testing.T) { rotation(t, m, "real", "ours") })
		t.Run("killed minion", func(t *testing.T) {
			mark := m.events.mark()
			go func() {
				if e, ok := find(m.events, 20*time.Second, mark, `salt/job/\d+/new`); ok && e.data.String("fun") == "test.sleep" {
					real.crash()
				}
			}()
			r := m.salt("real", "test.sleep", "60")
			if r.code != 1 || !strings.Contains(r.text(), "Minion did not return. [No response]") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
			// timeout 2 + gather_job_timeout 6: there is no other sign of a minion of Salt's.
			if r.took < 8*time.Second || r.took > 11*time.Second {
				t.Errorf("named after %v, want 8 s and a little", r.took)
			}
		})
		t.Run("deleted key", func(t *testing.T) {
			if r := m.run(p, "salt-key", "-y", "-d", "ours"); r.code != 0 {
				t.Fatalf("salt-key -d: exit %d\n%s", r.code, r.text())
			}
			waiting.Within(t, 5*time.Second, "gone key", func() bool { return !strings.Contains(m.salt("ours", "test.ping").out, "true") })
			real.start()
			waiting.Within(t, time.Minute, "the killed minion is back", func() bool { return m.salt("real", "test.ping").code == 0 })
			if r := m.run(p, "salt-key", "-y", "-d", "real"); r.code != 0 {
				t.Fatalf("salt-key -d: exit %d\n%s", r.code, r.text())
			}
			waiting.Within(t, 5*time.Second, "gone key", func() bool { return !strings.Contains(m.salt("real", "test.ping").out, "true") })
		})
	})
}

// rotation asks a master for a new shared key as salt-key does, and has a job
// under it at once.
func rotation(t *testing.T, m *node, ids ...string) {
	t.Helper()
	mark := m.events.mark()
	drop := filepath.Join(m.Dir, "cache", ".dfn")
	if err := os.WriteFile(drop, []byte(m.ID), 0o400); err != nil { // 3007 and later read whose turn it is
		t.Fatal(err)
	}
	waiting.Within(t, 70*time.Second, "rotation", func() bool {
		_, err := os.Stat(drop)
		return os.IsNotExist(err)
	})
	m.events.await(t, 5*time.Second, mark, "key")
	for _, id := range ids {
		m.salt(id, "test.ping").want(t, id, true)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func find(r *recorder, within time.Duration, since int, tag string) (e seen, ok bool) {
	waiting.Became(within, func() bool {
		e, ok = r.find(since, tag)
		return ok
	})
	return e, ok
}

// TestStrictRealMinion has everything signed and filtered that can be.
func TestStrictRealMinion(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top", "zmq_filtering: True", "require_minion_sign_messages: True", "drop_messages_signature_fail: True")
		w.minion(p, "real", m, "zmq_filtering: True", "sign_pub_messages: True", "minion_sign_messages: True")
		w.minion(nil, "ours", m, "zmq_filtering: True", "sign_pub_messages: True", "minion_sign_messages: True")
		m.accept("real", "ours")
		m.joined(0, "minion", "real", "ours")
		signedCases(t, m, "real", "ours")
	})
}

// signedCases are jobs whose values make the signed bytes hard to repeat, for all
// minions of a master.
func signedCases(t *testing.T, m *node, ids ...string) {
	for _, c := range []struct {
		name string
		args []string
		want any
	}{
		{"list", []string{"-L", strings.Join(ids, ","), "test.ping"}, true},
		{"glob", []string{"*", "test.echo", "ein Gerät, 東京 und 🧂"}, "ein Gerät, 東京 und 🧂"},
		{"grain", []string{"-G", "kernel:Linux", "test.echo", "1.5"}, 1.5},
		{
			"compound",
			[]string{"-C", "* and not x", "test.echo", "[1, -7, null, {a: " + strings.Repeat("b", 70) + "}]"},
			[]any{1, -7, nil, map[string]any{"a": strings.Repeat("b", 70)}},
		},
		{"long", []string{"*", "cmd.run", "head -c 70000 /dev/zero | tr '\\0' x", "python_shell=True"}, strings.Repeat("x", 70000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := m.salt(c.args...)
			for _, id := range ids {
				r.want(t, id, c.want)
			}
		})
	}
}
