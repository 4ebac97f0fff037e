package engine

import "testing"

// A node was away when this master published, and got the job
// from a sibling. It must receive the job here too. Otherwise it sends the returns to the sibling
// only, and the account here stays open forever.
func TestExpectsNode_AskedByAnother(t *testing.T) {
	l := newLedger(AccountConfig{})
	defer l.close()
	if err := l.openJob(Job{JID: "j", Nodes: []Node{{ID: "c", Live: Down}, {ID: "d", Live: Up}}}); err != nil {
		t.Fatal(err)
	}
	l.expect("j", Expectation{Path: "c", Minions: []string{"m"}})
	if !l.ExpectsNode("j", "c") {
		t.Error("the node does not receive the job, although it never received it from here")
	}
	l.Redelivered("j", "c")
	if l.Expects("j", "nobody") {
		t.Error("an unknown minion is expected")
	}
	l.returned("j", "m", "c", true)
	l.expect("j", Expectation{Path: "d"})
	if a, _ := l.State("j"); a.Open() {
		t.Fatalf("the job is still open: %+v", a)
	}
	if l.ExpectsNode("j", "c") {
		t.Error("a closed job expects a node")
	}
}
