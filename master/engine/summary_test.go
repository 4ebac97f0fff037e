package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummaries(t *testing.T) {
	l := newLedger(AccountConfig{})
	defer l.close()
	for _, j := range []Job{
		{JID: "20261121000000000001", Fun: "test.ping", Timeout: time.Hour, Minions: []Minion{{ID: "a", Live: Up}, {ID: "b", Live: Up}, {ID: "c", Live: Down}, {ID: "d", Live: Up}}},
		{JID: "20261121000000000002", Fun: "cmd.run", Timeout: time.Hour, Minions: []Minion{{ID: "a", Live: Up}}, Nodes: []Node{{ID: "n", Live: Up}}},
		{JID: "20261121000000000003", Fun: "over", Timeout: time.Hour, Minions: []Minion{{ID: "a", Live: Up}}},
	} {
		if err := l.openJob(j); err != nil {
			t.Fatal(err)
		}
	}
	l.returned("20261121000000000001", "a", "", true)
	l.returned("20261121000000000001", "b", "", false)
	l.returned("20261121000000000002", "a", "", true)
	l.returned("20261121000000000003", "a", "", true)
	got, total := l.Summaries(10, 3)
	want := []Summary{
		{JID: "20261121000000000002", Fun: "cmd.run", Expected: 1, Returned: 1, Nodes: []string{"n"}},
		{JID: "20261121000000000001", Fun: "test.ping", Expected: 4, Returned: 1, Failed: 1, Missing: 1, Waiting: 1, For: []string{"d"}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Summary{}, "Opened")); d != "" || total != 2 {
		t.Errorf("%d jobs: %s", total, d)
	}
	if got, total = l.Summaries(1, 0); len(got) != 1 || total != 2 || got[0].JID != "20261121000000000002" {
		t.Errorf("one of %d: %v", total, got)
	}
}
