package runners

import (
	"context"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// topsStage is a stage whose job cache includes those of other tops.
type topsStage struct{ *stage }

func (s topsStage) Jobs(context.Context, string) (returners.Reader, error) {
	return atTops{&s.store}, nil
}

type atTops struct{ *memory }

func (atTops) Account(_ context.Context, jid string) (engine.Account, bool) {
	return engine.Account{JID: jid, Waiting: map[string]string{"a": "n"}}, jid == "20260101000000000001"
}

// A job that is open at another top only is shown as running.
func TestJobsOfOtherTops(t *testing.T) {
	const there, here = "20260101000000000001", "20260101000000000002"
	s := topsStage{&stage{
		ledger: map[string]engine.Account{here: {JID: here}},
		tops: map[string]*wire.Map{"top-2": wire.NewMap(
			there, wire.NewMap("Function", "test.ping"), here, wire.NewMap("Function", "test.fib"), "odd", 3)},
	}}
	run := func(fun string, args ...any) *wire.Map {
		v, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun, Args: args, Kwargs: wire.NewMap()}), Env: s})
		if err != nil {
			t.Fatal(err)
		}
		m, _ := v.(*wire.Map)
		return m
	}
	got := run("jobs.active")
	if got.Len() != 2 || got.Map(there).String("StartedAt") != "top-2" || got.Map(here).String("Function") == "test.fib" {
		t.Errorf("jobs.active: %v", got)
	}
	if got := run("jobs.list_job", there); len(got.Strings("Minions")) != 1 || got.Has("Missing") || got.Map("Paths").String("a") != "n" {
		t.Errorf("jobs.list_job: %v", got)
	}
}
