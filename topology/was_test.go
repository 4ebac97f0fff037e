package topology

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// What minions and nodes say of where they were reaches the parent, whole and as a change, until they say
// otherwise, are gone, or an hour has passed.
func TestWas(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	node, parent := NewTree(Node{ID: "a"}, clock), NewTree(Node{ID: "top"}, clock)
	report := func(want ...Was) {
		t.Helper()
		if at := parent.Have("a", node.Life()); at != 0 {
			d, ok := node.Changes(at)
			if !ok {
				t.Fatal("changes are forgotten")
			}
			if d, err := DeltaFrom(d.Map()); err != nil {
				t.Fatal(err)
			} else if err := parent.Apply("a", node.Life(), d); err != nil {
				t.Fatal(err)
			}
		} else {
			whole, at := node.Whole()
			n, err := overTheWire(t, whole)
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Report(n, at); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := parent.Node("a"); !reflect.DeepEqual(n.Was, want) {
			t.Errorf("the parent has %v, want %v", n.Was, want)
		}
	}
	node.SetWas("c", []string{"b", "a", "b", ""})
	report(Was{"c", []string{"b"}})
	node.SetWas("m", []string{"d", "b"})
	report(Was{"c", []string{"b"}}, Was{"m", []string{"b", "d"}})
	before := node.Revision()
	node.SetWas("m", []string{"b", "d"})
	node.SetWas("other", nil)
	node.SetWas("other", []string{strings.Repeat("x", maxWasID+1)})
	if node.Revision() != before {
		t.Error("nothing has changed")
	}
	node.SetWas("m", nil)
	report(Was{"c", []string{"b"}})
	now = now.Add(wasMemory + time.Second)
	node.SetWas("m", []string{"b"})
	report(Was{"m", []string{"b"}})
	node.SetMinion(Minion{ID: "m", State: Up})
	node.Remove("m")
	node.SetKey("another")
	report()
	for i := range maxWas + 10 {
		node.SetWas(fmt.Sprint("m", i), []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"})
	}
	whole, _ := node.Whole()
	if n, err := overTheWire(t, whole); err != nil || len(n.Was) != maxWas || len(n.Was[0].Nodes) != maxWasNodes {
		t.Errorf("bounds: %d ids, %v", len(n.Was), err)
	}
	if got := wasFrom([]any{"x", []any{"id"}, []any{"", []any{"b"}}, []any{"m", "b"}, []any{"m", []any{int64(3)}}, []any{"m", []any{strings.Repeat("x", maxWasID+1)}}}); len(got) != 0 {
		t.Errorf("read %v", got)
	}
}
