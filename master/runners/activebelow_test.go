package runners

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// jobs.active lists jobs that were started at a lower master, with the path to each minion.
func TestActiveJobsOfNodesBelow(t *testing.T) {
	record := wire.NewMap("Function", "test.sleep", "Minions", []any{"web-1", "db-1"}, "Paths", wire.NewMap("db-1", "syn-c"))
	s := &stage{
		ledger: map[string]engine.Account{"20260101000000000001": {JID: "20260101000000000001"}},
		below:  map[string]*wire.Map{"syn-a": wire.NewMap("20260101000000000002", record, "20260101000000000001", record.Clone())},
	}
	v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: "jobs.active"}), Env: s})
	if err != nil {
		t.Fatal(err)
	}
	got := v.(*wire.Map).Map("20260101000000000002")
	if got == nil || got.String("StartedAt") != "syn-a" || got.Map("Paths").String("web-1") != "syn-a" || got.Map("Paths").String("db-1") != "syn-a/syn-c" {
		t.Errorf("%#v", v)
	}
	if own := v.(*wire.Map).Map("20260101000000000001"); own.String("StartedAt") != "" {
		t.Error("a job of this master counts as one of a node below")
	}
}
