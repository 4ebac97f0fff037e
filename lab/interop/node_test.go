//go:build saltpeer

package interop

import (
	"os/exec"
	"time"
)

func (n *node) start() {
	n.w.t.Helper()
	n.w.must(n.Start(n.w.t.Context()))
}

func (n *node) startOne(kind string) {
	n.w.t.Helper()
	n.w.must(n.StartOne(n.w.t.Context(), kind))
}

// stop ends the daemons of a node by SIGTERM.
func (n *node) stop() {
	n.w.t.Helper()
	if err := n.Stop(20 * time.Second); err != nil && n.Salt == nil {
		n.w.t.Error(err)
	}
}

// crash ends them by SIGKILL.
func (n *node) crash() { n.Crash() }

func (n *node) pending(id string) bool { return n.Pending(id) }

// accept waits for the keys and accepts them as salt-key does: by moving the file.
func (n *node) accept(ids ...string) {
	n.w.t.Helper()
	n.w.must(n.Accept(n.w.t.Context(), ids...))
}

// joined waits for the start events of minions or syndics at a master.
func (n *node) joined(since int, kind string, ids ...string) {
	n.w.t.Helper()
	n.w.must(n.Joined(n.w.t.Context(), since, kind, ids...))
}

// run runs a program of Salt's, or the command of ours that stands for it, in the
// configuration of a node.
func (n *node) run(p *peer, name string, args ...string) result {
	n.w.t.Helper()
	argv := n.Argv(p, name, args...)
	return command(n.w.t, exec.Command(argv[0], argv[1:]...))
}

// salt runs the command salt that belongs to the master. Salt's own forgets the
// exit code of minions with --static.
func (n *node) salt(args ...string) result {
	n.w.t.Helper()
	return n.run(n.Salt, "salt", append([]string{"--out=json"}, args...)...)
}

// find gives the node of an id.
func (w *world) find(id string) *node {
	for _, n := range w.nodes {
		if n.ID == id {
			return n
		}
	}
	w.t.Fatalf("no such node: %s", id)
	return nil
}
