package topology

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func ids(nodes []Node) string {
	s := ""
	for _, n := range nodes {
		s += fmt.Sprintf("%s:%s", n.ID, n.State)
		if len(n.Nodes) > 0 {
			s += "(" + ids(n.Nodes) + ")"
		}
		s += " "
	}
	return s
}

func notified(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestChangesNotifyWatchers(t *testing.T) {
	tr := NewTree(Node{ID: "top", Role: "master"}, nil)
	a, stopA := tr.Watch()
	b, stopB := tr.Watch()
	defer stopB()
	before := tr.Revision()
	for i := range 100 {
		tr.SetMinion(Minion{ID: fmt.Sprint("web-", i), State: Up})
	}
	if !notified(a) || notified(a) || !notified(b) {
		t.Error("100 changes are not one value for each watcher")
	}
	if got := tr.Revision() - before; got != 100 {
		t.Errorf("revision went up by %d", got)
	}
	stopA()
	report := Node{ID: "syn-a", Role: "syndic", State: Up, Minions: []Minion{{"db-1", Up, "1.0"}}}
	for _, c := range []struct {
		what    string
		do      func()
		changes bool
	}{
		{"a minion as before", func() { tr.SetMinion(Minion{ID: "web-1", State: Up}) }, false},
		{"a version", func() { tr.SetMinion(Minion{ID: "web-1", State: Up, Version: "1.0"}) }, true},
		{"no version", func() { tr.SetMinion(Minion{ID: "web-1", State: Up}) }, false},
		{"a state", func() { tr.SetMinion(Minion{ID: "web-1", State: Down}) }, true},
		{"a node", func() { tr.SetNode(report) }, true},
		{"the same report", func() { tr.SetNode(report) }, false},
		{"the same state", func() { tr.SetNodeState("syn-a", Up) }, false},
		{"a node's state", func() { tr.SetNodeState("syn-a", Down) }, true},
		{"an unknown one goes", func() { tr.Remove("nobody") }, false},
		{"a minion goes", func() { tr.Remove("web-2") }, true},
		{"a node beside a minion of its id", func() { tr.SetNode(Node{ID: "web-3", State: Up}) }, true},
		{"the state of that minion", func() { tr.SetMinion(Minion{ID: "web-3", State: Down}) }, true},
		{"the state of that node", func() { tr.SetNodeState("web-3", Down) }, true},
		{"a minion turns out to be a node", func() { tr.RemoveMinion("web-4") }, true},
		{"once more", func() { tr.RemoveMinion("web-4") }, false},
	} {
		c.do()
		if got := notified(b); got != c.changes {
			t.Errorf("%s: notified %v, want %v", c.what, got, c.changes)
		}
	}
	if notified(a) {
		t.Error("a watcher that has stopped was notified")
	}
	n := tr.Snapshot()
	if len(n.Minions) != 98 || n.Minions[1].Version != "1.0" || ids(n.Nodes) != "syn-a:down web-3:down " {
		t.Errorf("%d minions, nodes %s", len(n.Minions), ids(n.Nodes))
	}
	if sub, ok := tr.Node("syn-a"); !ok || len(sub.Minions) != 1 {
		t.Errorf("subtree %+v", sub)
	}
}

func TestSinceIsWhenTheStateChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := NewTree(Node{ID: "top"}, nil)
		start := time.Now()
		tr.SetNode(Node{ID: "a", State: Up})
		time.Sleep(time.Minute)
		tr.SetNode(Node{ID: "a", State: Up, Minions: []Minion{{ID: "m"}}})
		if n, _ := tr.Node("a"); !n.Since.Equal(start) {
			t.Errorf("since %s", n.Since)
		}
		tr.SetNodeState("a", Down)
		if n, _ := tr.Node("a"); !n.Since.Equal(start.Add(time.Minute)) || len(n.Minions) != 1 {
			t.Errorf("%+v", n)
		}
	})
}

func TestNodeThatMoves(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(tr *Tree)
		want string
	}{
		{"from the top to a node", func(tr *Tree) {
			tr.SetNodeState("x", Down)
			tr.SetNode(Node{ID: "b", State: Up, Nodes: []Node{{ID: "x", State: Up}}})
		}, "b:up(x:up ) "},
		{"from one node to another", func(tr *Tree) {
			tr.SetNode(Node{ID: "a", State: Up, Nodes: []Node{{ID: "x", State: Down}}})
			tr.SetNode(Node{ID: "b", State: Up, Nodes: []Node{{ID: "x", State: Up}}})
		}, "a:up b:up(x:up ) "},
		{"away from a node that died", func(tr *Tree) {
			tr.SetNode(Node{ID: "a", State: Down, Nodes: []Node{{ID: "x", State: Up}, {ID: "y", State: Up}}})
			tr.SetNode(Node{ID: "b", State: Up, Nodes: []Node{{ID: "x", State: Up}}})
		}, "a:down(y:up ) b:up(x:up ) "},
		{"nowhere", func(tr *Tree) {
			tr.SetNodeState("x", Down)
			tr.SetNode(Node{ID: "b", State: Up})
		}, "b:up x:down "},
		{"below two masters", func(tr *Tree) {
			tr.SetNode(Node{ID: "a", State: Up, Nodes: []Node{{ID: "x", State: Up}}})
			tr.SetNode(Node{ID: "b", State: Up, Nodes: []Node{{ID: "x", State: Up}}})
		}, "a:up(x:up ) b:up(x:up ) "},
	} {
		tr := NewTree(Node{ID: "top"}, nil)
		c.do(tr)
		for range 2 { // a snapshot alters nothing
			if got := ids(tr.Snapshot().Nodes); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

func TestTreeInParallel(t *testing.T) {
	tr := NewTree(Node{ID: "top"}, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, stop := tr.Watch()
			defer stop()
			for k := range 100 {
				id := fmt.Sprint(i, "-", k)
				tr.SetMinion(Minion{ID: id, State: Up})
				tr.SetNode(Node{ID: fmt.Sprint("n", i), State: Up, Minions: []Minion{{ID: id}}})
				_ = tr.Snapshot()
				tr.Remove(id)
			}
		})
	}
	wg.Wait()
	if n := tr.Snapshot(); len(n.Minions) != 0 || len(n.Nodes) != 8 {
		t.Errorf("%d minions, %d nodes", len(n.Minions), len(n.Nodes))
	}
}
