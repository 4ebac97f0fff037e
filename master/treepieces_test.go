package master

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/topology"
)

// A node with fifty thousand minions reports them in pieces: each answer contains the number
// received, the tree stays unchanged until the last piece, and a piece out of order restarts the
// report.
func TestTreeInPieces(t *testing.T) {
	const crowd = 50_000
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "minion").listen().announce()
	below := topology.NewTree(topology.Node{ID: "n1", Role: "syndic"}, nil)
	small, at := below.Whole()
	if reply := node.report(&small, "life", below.Life(), "revision", at); !reply.Bool("pieces") {
		t.Error("the master does not say that it takes pieces")
	}
	for i := range crowd {
		below.SetMinion(topology.Minion{ID: fmt.Sprintf("web-%05d", i), State: topology.Up})
	}
	whole, to := below.Whole()
	pieces := topology.WholeDelta(whole, to).Pieces()
	for _, p := range pieces {
		reply := node.report(nil, "life", below.Life(), "piece", p.Map())
		n, _ := r.Master.tree.Node("n1")
		have, sent := reply.Get("tree")
		if p.Last {
			if len(n.Minions) != crowd || have != int64(to) || reply.Has("piece") {
				t.Errorf("after the last piece: %d minions, revision %v", len(n.Minions), have)
			}
			continue
		}
		if held, _ := reply.Get("piece"); held != int64(p.N+1) || sent || len(n.Minions) != 0 {
			t.Fatalf("after piece %d: the reply has piece %v, revision sent: %v, %d minions in the tree", p.N, held, sent, len(n.Minions))
		}
	}
	if !r.policy.Claims().Has("n1", "web-49999") {
		t.Error("the last minion is not its own")
	}
	// A large delta.
	for i := range 3 * topology.PieceEntries {
		below.Remove(fmt.Sprintf("web-%05d", i))
	}
	d, ok := below.Changes(to)
	if !ok {
		t.Fatal("the difference is not known")
	}
	pieces = d.Pieces()
	for _, p := range append(pieces[:1:1], pieces...) { // the first piece repeated restarts the report
		node.report(nil, "life", below.Life(), "piece", p.Map())
	}
	n, _ := r.Master.tree.Node("n1")
	if len(n.Minions) != crowd-3*topology.PieceEntries || r.policy.Claims().Has("n1", "web-00000") || !r.policy.Claims().Has("n1", "web-49999") {
		t.Errorf("after the difference: %d minions", len(n.Minions))
	}
	// Only the last piece of another delta.
	if reply := node.report(nil, "life", below.Life(), "piece", pieces[len(pieces)-1].Map()); reply.Int("piece") != 0 || !reply.Has("piece") {
		t.Errorf("answer to a piece without those before it: %v", plain(t, reply))
	}
}

// A restarted node that will report its tree in pieces may have any minion below it until the
// report is complete.
func TestNodeThatWillReportInPiecesIsSparedNothing(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "minion").listen().announce()
	was := topology.Node{ID: "n1", Minions: []topology.Minion{{ID: "db", State: topology.Up}}}
	node.report(&was, "life", "x", "revision", int64(5))
	for _, c := range []struct {
		life   string
		spared bool
	}{{"x", true}, {"y", false}} {
		node.report(nil, "life", c.life, "pieces", true)
		if n, _ := r.Master.tree.Node("n1"); n.Blind == c.spared {
			t.Errorf("life %s: blind %v", c.life, n.Blind)
		}
	}
	for i, p := range topology.WholeDelta(topology.Node{ID: "n1", Role: "syndic", Minions: was.Minions}, 6).Pieces() {
		node.report(nil, "life", "y", "piece", p.Map())
		if n, _ := r.Master.tree.Node("n1"); n.Blind {
			t.Errorf("after piece %d nothing is known of it", i)
		}
	}
}
