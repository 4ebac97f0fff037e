package master

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// A master with rehome: False shows no trace of failover, whatever peers and operators do: not in
// its directories, on the bus, among its commands, in the tree or in its metrics. It answers like a
// Python master. One node, one minion that claims to return from a sibling, a key that is deleted.
func TestFailover_OffLeavesNoTrace(t *testing.T) {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.Rehome = false })
	r.start()
	events := r.events()
	if r.Failover() != nil || r.env.As("root").Failover() != nil {
		t.Fatal("it has the state for failover")
	}
	n := r.minion("n1", "syndic", "syndic").listen().announce()
	r.admit("n1")
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, p := range []*minion{n, m} {
		if d, _ := p.must(claims(p.id, "h", 4506, "k")).(*wire.Map); d == nil || d.Len() != 0 {
			t.Errorf("%s receives %v", p.id, d)
		}
	}
	for _, c := range r.server.Commands() {
		if c.Name == sibling.Command {
			t.Error("the command is served")
		}
	}
	for _, fun := range []string{"node.drain", "node.status"} {
		tag := r.say(wire.NewMap("cmd", "runner", "fun", fun, "key", rootKey, "user", "root")).String("tag")
		if d := events.take(tag + "/ret"); d.Bool("success") || !strings.Contains(d.String("return"), "rehome is False") {
			t.Errorf("%s: %v", fun, plain(t, d))
		}
	}
	was := r.keys.Shared.Current()
	removeKey(r, "m1")
	removeKey(r, "n1")
	eventually(t, "the node forgotten", func() bool { return !r.policy.IsNode("n1") })
	eventually(t, "another shared key", func() bool { return r.keys.Shared.Current() != was })
	for _, tag := range events.tags() {
		if strings.HasPrefix(tag, "topology/draining") || strings.HasPrefix(tag, "topology/key_gone") {
			t.Errorf("fired %s", tag)
		}
	}
	for _, p := range topology.Problems(r.Snapshot()) {
		if strings.Contains(p.Detail, "draining") || strings.Contains(p.Detail, "admitted") {
			t.Errorf("the tree shows %+v", p)
		}
	}
	if n := r.Stats().Trespasses[ownership.OfHome]; n != 0 {
		t.Errorf("%d are refused as homes", n)
	}
	r.noTrace()
}

// A master with failover and without siblings writes no files for it while no key is deleted.
func TestFailover_AloneNoFiles(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	r.say(testJob("*", "glob"))
	if err := m.answer(m.hear().JID, true); err != nil {
		t.Fatal(err)
	}
	if _, ok := askSiblings(m); !ok {
		t.Error("the minion gets no answer")
	}
	r.restart()
	r.noTrace()
}

// noTrace fails if the master's directories contain a file of failover.
func (r *rig) noTrace() {
	r.t.Helper()
	for _, dir := range []string{r.cfg.Cachedir, r.cfg.PkiDir} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range entries {
			if slices.Contains([]string{"siblings.p", "guests.notes", "keys_gone", "draining"}, e.Name()) {
				r.t.Errorf("it leaves %s/%s", dir, e.Name())
			}
		}
	}
}
