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

// TestMove walks docs/guide/move.md: a site of Salt's with a node below its top and a minion below
// that becomes ours step by step, the node first, the minion last, and goes back in the same
// way. After each step the top has the same answers, and no key is accepted anew.
func TestMove(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(p, "top", "order_masters: True", "reactor: [{my/tag: ["+filepath.Join(w.dir, "top", "srv", "react.sls")+"]}]")
		mid := w.lower(p, "mid", top)
		top.accept("mid")
		for _, n := range []*node{top, mid} {
			write(t, filepath.Join(n.Dir, "srv", "demo.sls"), "demo:\n  test.succeed_with_changes: []\n")
			write(t, filepath.Join(n.Dir, "srv", "orch.sls"), "all:\n  salt.function:\n    - name: test.ping\n    - tgt: '*'\n")
			write(t, filepath.Join(n.Dir, "srv", "react.sls"), "nothing: []\n")
			write(t, filepath.Join(n.Dir, "pillar", "top.sls"), "base:\n  '*':\n    - who\n")
			write(t, filepath.Join(n.Dir, "pillar", "who.sls"), "who: people of "+n.ID+"\n")
		}
		leaf := w.minion(p, "leaf", mid)
		mid.accept("leaf")

		answers := func(step string) {
			t.Helper()
			waiting.Within(t, 2*time.Minute, step+": a ping", func() bool { return top.salt("leaf", "test.ping").code == 0 })
			for _, c := range []struct{ args, want string }{
				{"leaf state.apply demo test=True", `"result": null`}, {"leaf pillar.items", "people of mid"}, {"leaf test.echo hello", `"hello"`},
			} {
				if r := top.salt(strings.Fields(c.args)...); r.code != 0 || !strings.Contains(r.out, c.want) {
					t.Errorf("%s: %s: exit %d\n%s", step, c.args, r.code, r.text())
				}
			}
			for _, n := range []*node{top, mid} {
				if r := n.run(n.Salt, "salt-key", "-l", "un"); strings.Contains(r.out, "leaf") || strings.Contains(r.out, "mid") {
					t.Errorf("%s: a key waits to be accepted at %s:\n%s", step, n.ID, r.out)
				}
			}
		}
		// change has a program take the place of another in a folder.
		change := func(n *node, to *peer) {
			t.Helper()
			n.stop()
			n.Salt = to
			if n == mid {
				n.Kinds = []string{"master", "syndic"}
				if to == nil {
					n.Kinds = []string{"syndic"}
				}
			}
			n.start()
		}
		answers("all is Salt's")

		for _, n := range []*node{top, mid} {
			if r := n.run(nil, "doctor"); r.code != 0 {
				t.Errorf("mom doctor at %s: exit %d\n%s", n.ID, r.code, r.text())
			}
		}
		change(mid, nil)
		answers("the node is ours")
		if r := mid.run(nil, "health"); r.code != 0 {
			t.Errorf("mom health at the node: exit %d\n%s", r.code, r.text())
		}
		change(mid, p)
		answers("the node is Salt's again")
		change(mid, nil)
		change(top, nil)
		answers("node and top are ours")
		for _, c := range []struct{ args, want string }{
			{"salt-run reactor.list", "react.sls"}, {"salt-run state.orchestrate orch test=True", "Function: salt.function"}, {"tree", "mid"}, {"tree", "leaf"},
		} {
			words := strings.Fields(c.args)
			if r := top.run(nil, words[0], words[1:]...); r.code != 0 || !strings.Contains(r.out, c.want) {
				t.Errorf("%s: exit %d, want %q\n%s", c.args, r.code, c.want, r.text())
			}
		}
		change(leaf, nil)
		answers("all is ours")
		change(leaf, p)
		change(top, p)
		answers("the top is Salt's again, and the minion")
		change(mid, p)
		answers("all is Salt's again")
	})
}
