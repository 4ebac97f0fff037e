package engine

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/jobevent"
)

// A forgotten job reopens for a further slice. Stored missing minions are in its account and not
// reported again. Returns and minions of the slice are unaffected, and a late return of a missing
// minion counts.
func TestNamed(t *testing.T) {
	var reported []string
	l := newLedger(AccountConfig{Hooks: Hooks{Missing: func(_ string, minions map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
		reported = slices.AppendSeq(reported, maps.Keys(minions))
	}}})
	defer l.close()
	spec := Job{JID: "j", Minions: []Minion{{ID: "new", Live: Up}}, Answers: []Answer{{ID: "done", OK: true}}, Restoring: true}
	if err := l.openJob(spec); err != nil {
		t.Fatal(err)
	}
	l.addMissing("j", map[string]jobevent.Absence{
		"gone": {Reason: NotConnected}, "below": {Reason: NoResponse, Path: "n"}, "done": {Reason: NotConnected}, "new": {Reason: NotConnected},
	})
	l.addMissing("other", map[string]jobevent.Absence{"x": {}})
	l.restored("j")
	a, _ := l.State("j")
	if !a.Open() || len(reported) != 0 {
		t.Fatalf("%+v; reported %q", a, reported)
	}
	want := map[string]jobevent.Absence{"gone": {Reason: NotConnected}, "below": {Reason: NoResponse, Path: "n"}}
	if !cmp.Equal(a.Missing, want) || a.Expected != 4 || a.Returned != 1 {
		t.Errorf("%+v", a)
	}
	l.returned("j", "gone", "", true)
	l.returned("j", "new", "", true)
	if a, _ = l.State("j"); a.Open() || a.Returned != 3 || len(a.Missing) != 1 || len(reported) != 0 {
		t.Errorf("%+v; reported %q", a, reported)
	}
}
