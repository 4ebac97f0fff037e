//go:build saltpeer

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestTakeover moves a master from Salt's program to ours and back, in one folder and
// with whatever the one before has left there: stopped by SIGTERM, killed, and while it
// still lives. A minion of Salt's stays connected to both.
func TestTakeover(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(p, "top")
		w.minion(p, "real", m)
		m.accept("real")
		m.joined(0, "minion", "real")
		answers := func(what string) {
			t.Helper()
			waiting.Within(t, 90*time.Second, what, func() bool { return m.salt("real", "test.ping").code == 0 })
		}
		answers("Salt's master")
		key := func() string {
			b, err := os.ReadFile(filepath.Join(m.Dir, "cache", "."+login(t)+"_key"))
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		before := key()
		ours := command(t, exec.Command(program, "master", "-c", m.Conf))
		if ours.code == 0 || !strings.Contains(ours.errOut, "already running") && !strings.Contains(ours.errOut, "another daemon runs here") {
			t.Errorf("ours beside a live one: exit %d\n%s", ours.code, ours.text())
		}
		if key() != before {
			t.Error("ours has changed the key of the live master's user")
		}
		answers("Salt's master, after ours was refused")

		for _, end := range []struct {
			how string
			do  func()
		}{{"SIGTERM", m.stop}, {"SIGKILL", m.crash}} {
			end.do()
			m.Salt = nil
			m.start()
			answers("ours, after Salt's ended by " + end.how)
			if r := m.run(p, "salt", "--out=json", "real", "test.ping"); !strings.Contains(r.out, `"real": true`) {
				t.Errorf("Salt's command beside ours: %s", r.text())
			}
			end.do()
			m.Salt = p
			m.start()
			answers("Salt's, after ours ended by " + end.how)
		}
	})
}
