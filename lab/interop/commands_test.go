//go:build saltpeer

package interop

import (
	"strings"
	"testing"
)

// TestRealCommandsAtOurMaster runs the commands of Salt's beside a master of ours.
func TestRealCommandsAtOurMaster(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top", "timeout: 3", "gather_job_timeout: 3")
		w.minion(nil, "ours", m)
		down := w.minion(nil, "down", m)
		m.accept("ours", "down")
		m.joined(0, "minion", "ours", "down")
		salt := func(args ...string) result {
			return m.run(p, "salt", append([]string{"--out=json"}, args...)...)
		}
		t.Run("salt", func(t *testing.T) {
			complete(t, salt("*", "test.ping"), 0, "down ours")
			complete(t, salt("ours", "cmd.run", "echo no; exit 3"), 1, "ours")
			salt("--static", "ours", "test.echo", "hello").want(t, "ours", "hello")
		})
		t.Run("salt --async", func(t *testing.T) {
			r := m.run(p, "salt", "--async", "ours", "test.echo", "async")
			if r.code != 0 || !strings.Contains(r.out, "Executed command with job ID: ") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
		})
		t.Run("salt-key", func(t *testing.T) {
			v := m.run(p, "salt-key", "--out=json", "-L").json(t)
			if !same(v["minions"], []string{"down", "ours"}) {
				t.Errorf("%s", short(v))
			}
		})
		t.Run("salt-run", func(t *testing.T) {
			v := m.run(p, "salt-run", "--out=json", "manage.status").json(t)
			if !same(v["up"], []string{"down", "ours"}) && !same(v["up"], []string{"ours", "down"}) {
				t.Errorf("%s", short(v))
			}
		})
		t.Run("minion that is down", func(t *testing.T) {
			down.crash()
			r := salt("*", "test.ping")
			if r.code != 1 || !strings.Contains(r.out, "did not return") {
				t.Errorf("exit %d\n%s", r.code, r.text())
			}
			t.Logf("%v", r.took)
		})
	})
}
