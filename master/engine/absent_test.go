package engine

import (
	"maps"
	"testing"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// A report that a minion is no longer queued may come over another path than the one that queued
// it.
func TestAbsent(t *testing.T) {
	row := func(node, why string) returners.Expectation {
		return returners.Expectation{Node: node, Missing: map[string]string{"m": why}}
	}
	for _, c := range []struct {
		xs   []returners.Expectation
		want jobevent.Absence
	}{
		{[]returners.Expectation{row("a/n", Queued), row("b/n", Expired)}, jobevent.Absence{Reason: Expired, Path: "b/n"}},
		{[]returners.Expectation{row("a/n", Expired), row("b/n", Queued)}, jobevent.Absence{Reason: Expired, Path: "a/n"}},
		{[]returners.Expectation{row("a/n", Queued), row("b/n", Queued)}, jobevent.Absence{Reason: Queued, Path: "b/n"}},
		{[]returners.Expectation{row("a/n", NotConnected), row("b/n", NodeDown)}, jobevent.Absence{Reason: NodeDown, Path: "b/n"}},
	} {
		if got := Absent(c.xs); !maps.Equal(got, map[string]jobevent.Absence{"m": c.want}) {
			t.Errorf("%v: %v", c.xs, got)
		}
	}
}
