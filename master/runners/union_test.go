package runners

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
)

func TestUnion(t *testing.T) {
	early, late := "20240101000000000001", "20240102000000000002"
	near := &memory{
		loads:   []returners.Load{{JID: late, User: "near"}},
		returns: []returners.Return{{JID: late, ID: "a", Fun: "f", Out: "near"}, {JID: late, ID: "c", Fun: "f"}},
		exps:    []returners.Expectation{{JID: late, Minions: []string{"a"}, Missing: map[string]string{"b": "away"}}},
	}
	far := &memory{
		loads:   []returners.Load{{JID: early, User: "far"}, {JID: late, User: "far"}},
		returns: []returners.Return{{JID: late, ID: "a", Fun: "f", Out: "far"}, {JID: early, ID: "a", Fun: "f"}, {JID: early, ID: "d", Fun: "f"}},
		exps:    []returners.Expectation{{JID: late, Minions: []string{"b", "c"}}, {JID: late, Node: "n", Minions: []string{"d"}}},
	}
	u, ctx := Union(near, far), t.Context()
	if got := Union(near); got != returners.Reader(near) {
		t.Errorf("one store became %T", got)
	}
	if l, ok, err := u.GetLoad(ctx, late); !ok || err != nil || l.User != "near" {
		t.Errorf("load %v, %v, %v", l, ok, err)
	}
	if l, ok, err := u.GetLoad(ctx, early); !ok || err != nil || l.User != "far" {
		t.Errorf("load %v, %v, %v", l, ok, err)
	}
	if _, ok, err := u.GetLoad(ctx, "x"); ok || err != nil {
		t.Errorf("an unknown job: %v, %v", ok, err)
	}
	rets, err := u.GetReturns(ctx, late)
	if err != nil || len(rets) != 2 || rets[0].Out != "near" || rets[1].ID != "c" {
		t.Errorf("returns %v, %v", rets, err)
	}
	xs, err := u.GetExpectations(ctx, late)
	want := []returners.Expectation{
		{JID: late, Minions: []string{"a", "c"}, Missing: map[string]string{"b": "away"}},
		{JID: late, Node: "n", Minions: []string{"d"}},
	}
	if err != nil || cmp.Diff(want, xs) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, xs))
	}
	jobs, err := u.ListJobs(ctx, returners.Filter{})
	if err != nil || len(jobs) != 2 || jobs[0].User != "near" || jobs[1].JID != early {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	if jobs, err = u.ListJobs(ctx, returners.Filter{Limit: 1}); err != nil || len(jobs) != 1 || jobs[0].JID != late {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	funs, err := u.GetFun(ctx, "f")
	if err != nil || funs["a"].JID != late || funs["d"].JID != early {
		t.Errorf("last returns %v, %v", funs, err)
	}
	ids, err := u.Minions(ctx)
	if err != nil || strings.Join(ids, " ") != "a c d" {
		t.Errorf("minions %v, %v", ids, err)
	}
}

func TestUnion_ErrorsAreReturned(t *testing.T) {
	broken := errors.New("broken")
	u, ctx := Union(&memory{}, &memory{err: broken}), t.Context()
	_, _, e1 := u.GetLoad(ctx, "1")
	_, e2 := u.GetReturns(ctx, "1")
	_, e3 := u.GetExpectations(ctx, "1")
	_, e4 := u.ListJobs(ctx, returners.Filter{Since: time.Unix(1, 0)})
	_, e5 := u.GetFun(ctx, "f")
	_, e6 := u.Minions(ctx)
	for i, err := range []error{e1, e2, e3, e4, e5, e6} {
		if !errors.Is(err, broken) {
			t.Errorf("question %d: %v", i+1, err)
		}
	}
}
