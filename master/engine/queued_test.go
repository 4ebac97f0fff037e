package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// ledgerWithEnds returns a ledger and the accounts of its completed jobs.
func ledgerWithEnds(t *testing.T) (*ledger, chan Account) {
	t.Helper()
	done := make(chan Account, 4)
	l := newLedger(AccountConfig{Hooks: Hooks{Complete: func(a Account) { done <- a }}})
	t.Cleanup(l.close)
	return l, done
}

// A missing node and minion become pending when they receive the job again.
func TestRedelivered(t *testing.T) {
	l, done := ledgerWithEnds(t)
	if err := l.openJob(Job{
		JID: "1", Timeout: time.Hour, Minions: []Minion{{ID: "here", Live: Up}, {ID: "gone", Live: Down}},
		Nodes: []Node{{ID: "n", Live: Down}},
	}); err != nil {
		t.Fatal(err)
	}
	if !l.Expects("1", "here") || !l.Expects("1", "gone") || !l.ExpectsNode("1", "n") || l.Expects("1", "other") || l.Expects("2", "here") {
		t.Error("expects the wrong ones")
	}
	l.Redelivered("1", "gone")
	l.RedeliveredNode("1", "n")
	l.RedeliveredNode("2", "n")
	l.returned("1", "here", "", true)
	if a, _ := l.State("1"); !a.Open() || len(a.Missing) != 0 || a.Nodes["n"] != jobevent.NodeAsked || len(a.Waiting) != 1 {
		t.Errorf("account %+v", a)
	}
	l.expect("1", Expectation{Path: "n", Minions: []string{"below"}})
	l.returned("1", "below", "n", true)
	l.returned("1", "gone", "", true)
	if a := <-done; a.Expected != 3 || a.Returned != 3 {
		t.Errorf("account %+v", a)
	}
	if l.Redelivered("1", "gone"); l.Expects("1", "gone") || l.ExpectsNode("1", "n") {
		t.Error("expects an answer that arrived")
	}
}

// A minion and a node with the same id are independent.
func TestRedeliveredToOneOfTwo(t *testing.T) {
	l, _ := ledgerWithEnds(t)
	open := func(jid string) {
		err := l.openJob(Job{JID: jid, Timeout: time.Hour, Minions: []Minion{{ID: "syc", Live: Down}, {ID: "x", Live: Up}}, Nodes: []Node{{ID: "syc", Live: Down}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	open("1")
	l.RedeliveredNode("1", "syc")
	if a, _ := l.State("1"); a.Missing["syc"].Reason != NotConnected || a.Nodes["syc"] != jobevent.NodeAsked {
		t.Errorf("the node received the job: %+v", a)
	}
	open("2")
	l.Redelivered("2", "syc")
	if a, _ := l.State("2"); len(a.Missing) != 0 || a.Nodes["syc"] != jobevent.NodeUnreachable {
		t.Errorf("the minion received the job: %+v", a)
	}
}

// Queued minions do not keep a job open. The account adds up when they return, expire, or arrive
// behind their node.
func TestQueuedAccount(t *testing.T) {
	l, done := ledgerWithEnds(t)
	if err := l.openJob(Job{
		JID: "1", Queue: true, Minions: []Minion{{ID: "a", Live: Down}, {ID: "b", Live: Down}, {ID: "c", Live: Up}},
		Nodes: []Node{{ID: "n", Live: Down, Known: func() map[string]string { return map[string]string{"x": "n", "y": "n/m"} }}},
	}); err != nil {
		t.Fatal(err)
	}
	l.returned("1", "c", "", true)
	adds := func(a Account, returned int, reasons map[string]string) {
		t.Helper()
		if a.Expected != 5 || a.Returned != returned || a.Returned+a.Failed+len(a.Missing) != a.Expected {
			t.Errorf("account %+v", a)
		}
		for id, want := range reasons {
			if a.Missing[id].Reason != want {
				t.Errorf("%s: %q, want %q", id, a.Missing[id].Reason, want)
			}
		}
	}
	adds(<-done, 1, map[string]string{"a": Queued, "b": Queued, "x": Queued, "y": Queued})
	l.returned("1", "a", "", true)
	l.reportGone("1", "", map[string]jobevent.Absence{"y": {Reason: Expired, Path: "n/m"}}, nil)
	if !l.overdue("1", Expired, map[string]string{"b": "", "a": ""}) || l.overdue("2", Expired, nil) {
		t.Error("knows the wrong jobs")
	}
	a, _ := l.State("1")
	adds(a, 2, map[string]string{"b": Expired, "y": Expired, "x": Queued})
	if _, back := a.Missing["a"]; back {
		t.Error("a return was taken back")
	}
	// The node is back and reports x: the job reopens until x answers.
	l.expect("1", Expectation{Path: "n", Minions: []string{"x"}})
	if a, _ := l.State("1"); !a.Open() || len(a.Waiting) != 1 {
		t.Errorf("account %+v", a)
	}
	l.returned("1", "x", "n", true)
	adds(<-done, 3, map[string]string{"b": Expired, "y": Expired})
}

// A redelivered job may have run for a sibling of this master, so find_job follows. Its result is
// not a rescue.
func TestRedelivered_AskedIsNotRescued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, rescued := 0, 0
		l := newLedger(AccountConfig{Hooks: Hooks{
			FindJob: func(string, []string) { asked++ },
			Rescued: func(string, string, string, time.Duration) { rescued++ },
		}})
		defer l.close()
		if err := l.openJob(Job{JID: "1", Minions: []Minion{{ID: "m", Live: Away, Grace: time.Minute}}}); err != nil {
			t.Fatal(err)
		}
		l.minionUp("m", map[string]bool{"1": true})
		l.Redelivered("1", "m")
		time.Sleep(11 * time.Second)
		l.found("1", "m", false)
		time.Sleep(3 * time.Second)
		a, _ := l.State("1")
		if asked != 1 || rescued != 0 || a.Open() || a.Missing["m"].Reason != NotRunning {
			t.Errorf("asked %d times, rescued %d, account %+v", asked, rescued, a)
		}
	})
}

// Minions known behind a node that refuses a job become missing, as behind one that is not
// connected.
func TestGone_ARefusalNamesThoseBehind(t *testing.T) {
	l, done := ledgerWithEnds(t)
	if err := l.openJob(Job{
		JID: "1", Queue: true, Minions: []Minion{{ID: "here", Live: Up}},
		Nodes: []Node{{ID: "n", Live: Up, Known: func() map[string]string { return map[string]string{"x": "n", "y": "n/m"} }}},
	}); err != nil {
		t.Fatal(err)
	}
	l.returned("1", "here", "", true)
	l.reportGone("1", "", nil, map[string]jobevent.NodeState{"n": "refused: the outbox is full"})
	a := <-done
	for id, path := range map[string]string{"x": "n", "y": "n/m"} {
		if got := a.Missing[id]; got != (jobevent.Absence{Reason: NodeRefused, Path: path}) {
			t.Errorf("%s: %+v", id, got)
		}
	}
	if a.Expected != 3 || a.Returned != 1 || len(a.Missing) != 2 {
		t.Errorf("account %+v", a)
	}
	// The node sends an expectation after all.
	l.expect("1", Expectation{Path: "n", Minions: []string{"x"}})
	if a, _ := l.State("1"); !a.Open() || a.Waiting["x"] != "n" {
		t.Errorf("account %+v", a)
	}
}

// A reason about a node applies to one path: over another path the minion stays pending, and over
// the same one it can become pending again. A reason about the minion applies to all paths.
func TestGone_OfAWayAndOfAMinion(t *testing.T) {
	for reason, way := range map[string]bool{NodeDown: true, NodeNoResponse: true, NodeRefused: true, NoResponse: false, NotConnected: false} {
		l := newLedger(AccountConfig{})
		defer l.close()
		if err := l.openJob(Job{JID: "1", Nodes: []Node{{ID: "a", Live: Up}, {ID: "b", Live: Up}, {ID: "c", Live: Up}}}); err != nil {
			t.Fatal(err)
		}
		l.expect("1", Expectation{Path: "a/n", Minions: []string{"m"}})
		l.expect("1", Expectation{Path: "b/n", Minions: []string{"m"}})
		gone := func(path string) Account {
			l.reportGone("1", "", map[string]jobevent.Absence{"m": {Reason: reason, Path: path}}, nil)
			a, _ := l.State("1")
			return a
		}
		if a := gone("a/n"); (a.Waiting["m"] == "b/n") != way {
			t.Errorf("%s over one of two ways: %+v", reason, a)
		}
		if a := gone("b/n"); a.Missing["m"].Reason != reason {
			t.Errorf("%s over both ways: %+v", reason, a)
		}
		l.expect("1", Expectation{Path: "b/n", Minions: []string{"m"}})
		if a, _ := l.State("1"); (a.Waiting["m"] == "b/n") != way {
			t.Errorf("%s, and then the node speaks: %+v", reason, a)
		}
	}
}

// A minion found away after the queue ended expires at once, even by a held report: a crash
// between queued and expired would leave it queued.
func TestUnqueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := map[string][]string{}
		l := newLedger(AccountConfig{
			Where: func(id, _ string) (string, bool) { return "other", id == "moved" },
			Hooks: Hooks{Missing: func(_ string, gone map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
				for id, g := range gone {
					said[id] = append(said[id], g.Reason)
				}
			}},
		})
		defer l.close()
		if err := l.openJob(Job{
			JID: "1", Queue: true, Minions: []Minion{{ID: "early", Live: Down}, {ID: "late", Live: Up}},
			Nodes: []Node{
				{ID: "gone", Live: Down, Known: func() map[string]string { return map[string]string{"moved": "gone"} }},
				{ID: "other", Live: Up},
				{ID: "silent", Live: Up, Known: func() map[string]string { return map[string]string{"behind": "silent"} }},
			},
		}); err != nil {
			t.Fatal(err)
		}
		l.unqueue("1")
		l.unqueue("2")
		l.minionDown("late", 0)
		time.Sleep(time.Minute)
		synctest.Wait()
		for id, want := range map[string]string{"early": Queued, "late": Expired, "moved": Expired, "behind": Expired} {
			if len(said[id]) != 1 || said[id][0] != want {
				t.Errorf("%s is named as %q, want %q", id, said[id], want)
			}
		}
		if a, _ := l.State("1"); a.Open() || len(a.Missing) != 4 {
			t.Errorf("account %+v", a)
		}
	})
}
