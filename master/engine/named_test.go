package engine

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/jobevent"
)

// A job opens anew since a further slice of it came. Who was named as missing is in its account
// and is not named again; who answered, or belongs to the slice, stays as it is; a return
// counts for those who were named as well.
func TestNamed(t *testing.T) {
	var told []string
	l := newLedger(AccountConfig{Hooks: Hooks{Missing: func(_ string, minions map[string]jobevent.Absence, _ map[string]jobevent.NodeState) {
		told = slices.AppendSeq(told, maps.Keys(minions))
	}}})
	defer l.close()
	spec := Job{JID: "j", Minions: []Minion{{ID: "new", Live: Up}}, Answers: []Answer{{ID: "done", OK: true}}, Entering: true}
	if err := l.openJob(spec); err != nil {
		t.Fatal(err)
	}
	l.named("j", map[string]jobevent.Absence{
		"gone": {Reason: NotConnected}, "below": {Reason: NoResponse, Path: "n"}, "done": {Reason: NotConnected}, "new": {Reason: NotConnected},
	})
	l.named("other", map[string]jobevent.Absence{"x": {}})
	l.entered("j")
	a, _ := l.State("j")
	if !a.Open() || len(told) != 0 {
		t.Fatalf("%+v; told %q", a, told)
	}
	want := map[string]jobevent.Absence{"gone": {Reason: NotConnected}, "below": {Reason: NoResponse, Path: "n"}}
	if !cmp.Equal(a.Missing, want) || a.Expected != 4 || a.Returned != 1 {
		t.Errorf("%+v", a)
	}
	l.returned("j", "gone", "", true)
	l.returned("j", "new", "", true)
	if a, _ = l.State("j"); a.Open() || a.Returned != 3 || len(a.Missing) != 1 || len(told) != 0 {
		t.Errorf("%+v; told %q", a, told)
	}
}
