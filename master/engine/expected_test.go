package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestExpected(t *testing.T) {
	l := newLedger(AccountConfig{})
	defer l.close()
	const jid = "20261121000000000001"
	behind := func() map[string]string { return map[string]string{"lost": "down"} }
	if err := l.openJob(Job{
		JID: jid, Timeout: time.Hour, Minions: []Minion{{ID: "a", Live: Up}, {ID: "b", Live: Down}}, Unclaimed: []string{"nobody", "c"},
		Nodes: []Node{{ID: "n", Live: Up}, {ID: "down", Live: Down, Known: behind}, {ID: "python", Live: Untracked}},
	}); err != nil {
		t.Fatal(err)
	}
	check := func(step string, want Expected) (changed <-chan struct{}) {
		t.Helper()
		got, ok := l.Expected(jid)
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Expected{}, "Changed")); d != "" || !ok {
			t.Errorf("%s: %s", step, d)
		}
		return got.Changed
	}
	closed := func(step string, c <-chan struct{}, want bool) {
		t.Helper()
		got := false
		select {
		case <-c:
			got = true
		default:
		}
		if got != want {
			t.Errorf("%s: changed %v, want %v", step, got, want)
		}
	}
	changed := check("opened", Expected{Minions: []string{"a", "b", "lost"}, Pending: []string{"n"}, Silent: []string{"python"}})
	closed("opened", changed, false)
	l.returned(jid, "a", "", true)
	check("a answered", Expected{Minions: []string{"a", "b", "lost"}, Pending: []string{"n"}, Silent: []string{"python"}})
	closed("a answered", changed, false)
	l.expect(jid, Expectation{Path: "n", Minions: []string{"c"}, Asked: []string{"m"}})
	closed("n answered", changed, true)
	changed = check("n answered", Expected{Minions: []string{"a", "b", "c", "lost"}, Pending: []string{"n/m"}, Silent: []string{"python"}})
	l.expect(jid, Expectation{Path: "n/m", Minions: []string{"d"}})
	closed("n/m answered", changed, true)
	changed = check("n/m answered", Expected{Minions: []string{"a", "b", "c", "d", "lost"}, Silent: []string{"python"}})
	l.returned(jid, "p", "python", true)
	closed("the syndic spoke", changed, true)
	check("the syndic spoke", Expected{Minions: []string{"a", "b", "c", "d", "lost", "p"}})
	if _, ok := l.Expected("20261121000000000002"); ok {
		t.Error("an unknown job is known")
	}
}
