package returnertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Run tests a driver; SaveEvents may return returners.ErrNoEvents. open returns an empty store, which the suite closes.
func Run(t *testing.T, open func(t *testing.T) returners.Returner) {
	RunUnordered(t, open)
	run(t, open, []test[returners.Returner]{{"KeepsOrder", testOrder}})
}

// RunUnordered is Run for a driver whose database does not keep the order of the keys in a
// map.
func RunUnordered(t *testing.T, open func(t *testing.T) returners.Returner) {
	run(t, open, []test[returners.Returner]{
		{"Empty", testEmpty},
		{"RicherLoadStays", testLoads},
		{"FirstReturnStays", testReturns},
		{"ManyReturns", testMany},
		{"Text", testText},
		{"Numbers", testNumbers},
		{"CaseOfIDs", testCase},
		{"Failure", testFailure},
		{"CompoundFun", testCompound},
		{"Expectations", testExpectations},
		{"StatesOfOneCall", testOneCall},
		{"ListJobs", testListJobs},
		{"GetFun", testGetFun},
		{"Events", testEvents},
		{"Clean", testClean},
		{"CleanKeepsJobWithFreshReturn", testCleanFresh},
		{"CleanKeepsHeldJob", testCleanHeld},
		{"Closed", testClosed},
	})
}

// RunShared tests a driver for a database that several masters write, each a part of a job.
func RunShared(t *testing.T, open func(t *testing.T) returners.Returner) {
	run(t, open, []test[returners.Returner]{
		{"LoadsGrow", testGrowingLoads},
		{"LateReturn", testLateReturn},
	})
}

// RunJobStore tests a driver that a master uses as its own store: everything in [Run], and
// notes.
func RunJobStore(t *testing.T, open func(t *testing.T) returners.JobStore) {
	Run(t, func(t *testing.T) returners.Returner { return open(t) })
	run(t, open, []test[returners.JobStore]{
		{"Notes", testNotes},
		{"ManyNotes", testManyNotes},
		{"CleanKeepsNotedJob", testCleanNotes},
		{"ExtendedLoads", testExtended},
	})
}

// test is one test of the suite, for drivers of type S.
type test[S returners.Returner] struct {
	name string
	test func(t *testing.T, s S)
}

func run[S returners.Returner](t *testing.T, open func(t *testing.T) S, tests []test[S]) {
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			c.test(t, s)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func testEmpty(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	must(t, s.Ping(ctx))
	if _, ok, err := s.GetLoad(ctx, JID(1)); ok || err != nil {
		t.Errorf("GetLoad of an unknown job: %v, %v", ok, err)
	}
	if got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1))); len(got) != 0 {
		t.Errorf("GetReturns: %v", got)
	}
	if got := get[[]string](t)(s.Minions(ctx)); len(got) != 0 {
		t.Errorf("Minions: %v", got)
	}
	if got := get[[]returners.Load](t)(s.ListJobs(ctx, returners.Filter{})); len(got) != 0 {
		t.Errorf("ListJobs: %v", got)
	}
	must(t, s.SaveReturns(ctx, nil))
	must(t, s.SaveLoads(ctx, nil))
	must(t, s.SaveExpectations(ctx, nil))
	must(t, s.SaveEvents(ctx, nil))
}

func testLoads(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	first, other := Load(t, 1, "test.ping", "*"), Load(t, 1, "cmd.run", "db*", "to", 5, "kwargs", wire.NewMap("delimiter", ":"))
	other.User = "mallory"
	// User, function and target do not change, even if the second load is longer.
	for _, order := range [][]returners.Load{{first}, {other}, {first}, {other, first}, {first, other}} {
		must(t, s.SaveLoads(ctx, order))
	}
	got, ok, err := s.GetLoad(ctx, JID(1))
	if err != nil || !ok {
		t.Fatalf("GetLoad: %v, %v", ok, err)
	}
	if diff := cmp.Diff(content(t, first.Raw), content(t, got.Raw)); diff != "" {
		t.Errorf("load (-want +got):\n%s", diff)
	}
	if got.User != "root" || !got.At.Equal(Time(1)) {
		t.Errorf("user %q at %v, want root at %v", got.User, got.At, Time(1))
	}
}

func testReturns(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	first := Return(t, 1, "web-01", "test.ping", true)
	must(t, s.SaveReturns(ctx, []returners.Return{first}))
	must(t, s.SaveReturns(ctx, []returners.Return{Return(t, 1, "web-01", "test.ping", false), Return(t, 1, "web-00", "test.ping", "x")}))
	got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1)))
	if len(got) != 2 || got[0].ID != "web-00" || got[1].ID != "web-01" {
		t.Fatalf("returns: %+v", got)
	}
	if r, ok, err := s.GetReturn(ctx, JID(1), "web-01"); !ok || err != nil || r.ID != "web-01" || JSON(t, r.Value) != "true" || content(t, r.Full) != content(t, first.Full) {
		t.Errorf("the return of one minion: %+v, %v, %v", r, ok, err)
	}
	for _, nobody := range [][2]string{{JID(1), "web-02"}, {JID(1), "WEB-01"}, {JID(2), "web-01"}, {JID(1), ""}} {
		if r, ok, err := s.GetReturn(ctx, nobody[0], nobody[1]); ok || err != nil {
			t.Errorf("the return of %v: %+v, %v, %v", nobody, r, ok, err)
		}
	}
	r := got[1]
	if r.JID != first.JID || r.Fun != "test.ping" || !r.Success || r.Retcode != 0 || !r.At.Equal(Time(1)) {
		t.Errorf("return: %+v", r)
	}
	if v := JSON(t, r.Value); v != "true" {
		t.Errorf("value %s, want the first one", v)
	}
	if diff := cmp.Diff(content(t, first.Full), content(t, r.Full)); diff != "" {
		t.Errorf("full load (-want +got):\n%s", diff)
	}
}

// The keys of a map come back in their order.
func testOrder(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	l, r := Load(t, 1, "test.ping", "*"), Return(t, 1, "m", "test.arg", wire.NewMap("z", 1, "a", wire.NewMap("long", 1, "b", 2)))
	must(t, s.SaveLoads(ctx, []returners.Load{l}))
	must(t, s.SaveReturns(ctx, []returners.Return{r}))
	load, _, err := s.GetLoad(ctx, JID(1))
	must(t, err)
	got, _, err := s.GetReturn(ctx, JID(1), "m")
	must(t, err)
	for _, p := range [][2]wire.Raw{{l.Raw, load.Raw}, {r.Value, got.Value}, {r.Full, got.Full}} {
		if diff := cmp.Diff(JSON(t, p[0]), JSON(t, p[1])); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	}
}

func testMany(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	const n = 1203 // two full batches and a rest
	rets := make([]returners.Return, n)
	for i := range rets {
		rets[n-1-i] = Return(t, 1, Minion(i), "test.echo", i)
	}
	must(t, s.SaveReturns(ctx, rets))
	must(t, s.SaveReturns(ctx, rets[300:900]))
	got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1)))
	if len(got) != n {
		t.Fatalf("%d returns, want %d", len(got), n)
	}
	for i, r := range got {
		if v, err := wire.Int(r.Value); r.ID != Minion(i) || err != nil || v != int64(i) {
			t.Fatalf("return %d: %s = %d, %v", i, r.ID, v, err)
		}
	}
	if ids := get[[]string](t)(s.Minions(ctx)); len(ids) != n || !slices.IsSorted(ids) {
		t.Errorf("%d minions, sorted %v", len(ids), slices.IsSorted(ids))
	}
}

func testText(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	texts := map[string]string{
		"four-byte": "😀 é 漢字 \U0010FFFF",
		"quotes":    `it's "quoted" \ back % _ ; -- x`,
		"controls":  "a\x00b\tc\nd\x1a",
		"no-utf8":   "latin \xe9 \xff\xfe end",
		"long":      strings.Repeat("é", 200_000),
	}
	longFun := "no." + strings.Repeat("f", 5000)
	for id, text := range texts {
		must(t, s.SaveReturns(ctx, []returners.Return{Return(t, 1, id, longFun, text)}))
	}
	for _, r := range get[[]returners.Return](t)(s.GetReturns(ctx, JID(1))) {
		got, err := wire.Str(r.Value)
		if err != nil || got != texts[r.ID] {
			t.Errorf("%s: %.60q, %v; want %.60q", r.ID, got, err, texts[r.ID])
		}
		if r.Fun != longFun {
			t.Errorf("%s: fun has %d characters, want %d", r.ID, len(r.Fun), len(longFun))
		}
	}
	if last := get[map[string]returners.Return](t)(s.GetFun(ctx, longFun)); len(last) != len(texts) {
		t.Errorf("GetFun of a long name: %d minions, want %d", len(last), len(texts))
	}
}

func testNumbers(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	value := wire.NewMap("max", uint64(1<<64-1), "min", int64(-1<<63), "float", 0.1, "whole", 2.0, "nil", nil, "list", []any{1, []any{}, false})
	want := Return(t, 1, "m", "test.arg", value)
	must(t, s.SaveReturns(ctx, []returners.Return{want}))
	got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1)))
	if len(got) != 1 {
		t.Fatalf("%d returns", len(got))
	}
	if diff := cmp.Diff(content(t, want.Value), content(t, got[0].Value)); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
}

func testCase(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	ids := []string{"Web", "WEB", "web", "wéb", "web "} // a store that folds case or accents would lose some
	ids = ids[:4]
	for _, id := range ids {
		must(t, s.SaveReturns(ctx, []returners.Return{Return(t, 1, id, "test.ping", id)}))
	}
	for _, r := range get[[]returners.Return](t)(s.GetReturns(ctx, JID(1))) {
		if v, _ := wire.Str(r.Value); v != r.ID {
			t.Errorf("return of %q holds that of %q", r.ID, v)
		}
	}
	slices.Sort(ids)
	if diff := cmp.Diff(ids, get[[]string](t)(s.Minions(ctx))); diff != "" {
		t.Errorf("minions (-want +got):\n%s", diff)
	}
}

func testFailure(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	full := wire.NewMap("cmd", "_return", "id", "m", "success", false, "return", "no", "retcode", 3, "jid", JID(1), "fun", "cmd.run", "out", "nested")
	must(t, s.SaveReturns(ctx, []returners.Return{{
		JID: JID(1), ID: "m", Fun: "cmd.run", Retcode: 3, Out: "nested", Value: Encode(t, "no"), Full: Encode(t, full), At: Time(1),
	}}))
	got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1)))
	if len(got) != 1 || got[0].Success || got[0].Retcode != 3 || got[0].Out != "nested" {
		t.Errorf("got %+v", got)
	}
}

func testCompound(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	funs := []any{"test.ping", "test.echo"}
	must(t, s.SaveLoads(ctx, []returners.Load{Load(t, 1, funs, "*")}))
	r := Return(t, 1, "m", "test.ping,test.echo", wire.NewMap("test.ping", true, "test.echo", "hi"))
	r.Full = Encode(t, wire.NewMap("id", "m", "jid", JID(1), "fun", funs, "success", wire.NewMap("test.ping", true, "test.echo", true),
		"retcode", wire.NewMap("test.ping", 0, "test.echo", 0), "return", wire.NewMap("test.ping", true, "test.echo", "hi")))
	must(t, s.SaveReturns(ctx, []returners.Return{r}))
	got := get[[]returners.Return](t)(s.GetReturns(ctx, JID(1)))
	if len(got) != 1 || got[0].Fun != "test.ping,test.echo" || !got[0].Success || content(t, got[0].Full) != content(t, r.Full) {
		t.Errorf("got %+v", got)
	}
	for _, pattern := range []string{"test.ping", "test.e*"} {
		if jobs := get[[]returners.Load](t)(s.ListJobs(ctx, returners.Filter{Fun: []string{pattern}})); len(jobs) != 1 {
			t.Errorf("jobs with %s: %v", pattern, jobs)
		}
	}
}

func testExpectations(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	own := returners.Expectation{JID: JID(1), Minions: []string{"b", "a"}, Missing: map[string]string{"c": "disconnected"}, At: Time(1)}
	below := returners.Expectation{JID: JID(1), Node: "syn-a", Minions: []string{"d"}, At: Time(1)}
	empty := returners.Expectation{JID: JID(1), Node: "syn-b", At: Time(1)}
	for range 2 {
		must(t, s.SaveExpectations(ctx, []returners.Expectation{below, empty, own}))
	}
	must(t, s.SaveExpectations(ctx, []returners.Expectation{{JID: JID(1), Minions: []string{"c"}, Missing: map[string]string{"a": "gone"}, At: Time(2)}}))
	want := []returners.Expectation{
		{JID: JID(1), Minions: []string{"b", "c"}, Missing: map[string]string{"a": "gone"}},
		{JID: JID(1), Node: "syn-a", Minions: []string{"d"}},
		{JID: JID(1), Node: "syn-b"},
	}
	got := get[[]returners.Expectation](t)(s.GetExpectations(ctx, JID(1)))
	for i := range got {
		got[i].At = time.Time{}
		if len(got[i].Missing) == 0 {
			got[i].Missing = nil
		}
		if len(got[i].Minions) == 0 {
			got[i].Minions = nil
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expectations (-want +got):\n%s", diff)
	}
}

func testListJobs(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	must(t, s.SaveLoads(ctx, []returners.Load{
		Load(t, 1, "test.ping", "*"),
		Load(t, 2, "state.apply", []any{"web-01", "db-01"}),
		Load(t, 3, "saltutil.find_job", "web-01"),
		Load(t, 4, "test.echo", "web-*"),
	}))
	must(t, s.SaveReturns(ctx, []returners.Return{Return(t, 5, "m", "test.ping", true)})) // a job without a load is not listed
	for _, c := range []struct {
		name string
		f    returners.Filter
		want []int
	}{
		{"all", returners.Filter{}, []int{4, 3, 2, 1}},
		{"without find_job", returners.Filter{WithoutFindJob: true}, []int{4, 2, 1}},
		{"newest two", returners.Filter{Limit: 2, WithoutFindJob: true}, []int{4, 2}},
		{"function glob", returners.Filter{Fun: []string{"test.*"}}, []int{4, 1}},
		{"two functions", returners.Filter{Fun: []string{"test.ping", "state.*"}}, []int{2, 1}},
		{"entry of a list target", returners.Filter{Target: []string{"db-*"}}, []int{2}},
		{"target itself", returners.Filter{Target: []string{"[*]"}}, []int{1}},
		{"since", returners.Filter{Since: Time(3)}, []int{4, 3}},
		{"until", returners.Filter{Until: Time(3)}, []int{2, 1}},
		{"range", returners.Filter{Since: Time(2), Until: Time(4)}, []int{3, 2}},
		{"newest after filter", returners.Filter{Fun: []string{"test.ping"}, Limit: 1}, []int{1}},
		{"nothing", returners.Filter{Fun: []string{"x"}}, nil},
	} {
		var got, want []string
		for _, l := range get[[]returners.Load](t)(s.ListJobs(ctx, c.f)) {
			got = append(got, l.JID)
		}
		for _, n := range c.want {
			want = append(want, JID(n))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func testGetFun(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	must(t, s.SaveReturns(ctx, []returners.Return{
		Return(t, 1, "a", "test.ping", 1), Return(t, 2, "a", "test.ping", 2), Return(t, 3, "a", "test.echo", 3),
		Return(t, 2, "b", "test.ping", 4), Return(t, 1, "b", "test.ping", 5), Return(t, 3, "c", "test.echo", 6),
	}))
	got := map[string]string{}
	for id, r := range get[map[string]returners.Return](t)(s.GetFun(ctx, "test.ping")) {
		got[id] = JSON(t, r.Value)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "4"}, got); diff != "" {
		t.Errorf("last returns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, get[[]string](t)(s.Minions(ctx))); diff != "" {
		t.Errorf("minions (-want +got):\n%s", diff)
	}
}

func testEvents(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	e := returners.Event{Key: "top/1", Tag: "salt/job/1/new", Data: Encode(t, wire.NewMap("a", "😀")), MasterID: "top", At: Time(1)}
	if err := s.SaveEvents(ctx, []returners.Event{e}); errors.Is(err, returners.ErrNoEvents) {
		if n := cleanAll(t, s, Time(10)); n != 0 {
			t.Errorf("a store without events has %d", n)
		}
		return
	}
	for range 2 {
		must(t, s.SaveEvents(ctx, []returners.Event{e, {Tag: strings.Repeat("t", 1000), Data: e.Data, At: Time(1)}}))
	}
	if n := cleanAll(t, s, Time(10)); n != 3 {
		t.Errorf("%d event rows, want 1 with a key and 2 without", n)
	}
}

func cleanAll(t *testing.T, s returners.Returner, before time.Time) int {
	t.Helper()
	total := 0
	for range 1000 {
		n := get[int](t)(s.Clean(context.Background(), before, 10))
		if n > 10 {
			t.Errorf("one step removed %d rows, more than its limit", n)
		}
		if n == 0 {
			return total
		}
		total += n
	}
	t.Fatal("Clean does not come to an end")
	return 0
}

func testClean(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	for job := range 4 {
		must(t, s.SaveLoads(ctx, []returners.Load{Load(t, job, "test.ping", "*")}))
		must(t, s.SaveExpectations(ctx, []returners.Expectation{{JID: JID(job), Minions: []string{"a"}, At: Time(job)}}))
		var rets []returners.Return
		for m := range 15 {
			rets = append(rets, Return(t, job, Minion(m), "test.ping", true))
		}
		must(t, s.SaveReturns(ctx, rets))
	}
	must(t, s.SaveReturns(ctx, []returners.Return{Return(t, -5, "call", "test.ping", true)})) // a job without a load
	if n := cleanAll(t, s, Time(2)); n < 2*17+1 {
		t.Errorf("%d rows went, want those of three jobs", n)
	}
	for job := -5; job < 4; job++ {
		_, ok, err := s.GetLoad(ctx, JID(job))
		must(t, err)
		n := len(get[[]returners.Return](t)(s.GetReturns(ctx, JID(job))))
		e := len(get[[]returners.Expectation](t)(s.GetExpectations(ctx, JID(job))))
		if keep := job >= 2; ok != keep || (n == 15) != keep || (e == 1) != keep {
			t.Errorf("job %d: load %v, %d returns, %d expectations", job, ok, n, e)
		}
	}
}

func testCleanFresh(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	must(t, s.SaveLoads(ctx, []returners.Load{Load(t, 1, "state.apply", "*")}))
	late := Return(t, 1, "slow", "state.apply", true)
	late.At = Time(1000)
	must(t, s.SaveReturns(ctx, []returners.Return{Return(t, 1, "quick", "state.apply", true), late}))
	if n := cleanAll(t, s, Time(500)); n != 0 {
		t.Errorf("%d rows of a job with a fresh return went", n)
	}
	if _, ok, err := s.GetLoad(ctx, JID(1)); !ok || err != nil {
		t.Errorf("its load: %v, %v", ok, err)
	}
}

// A job that is open or queued is held: Clean keeps it, however old it is.
func testCleanHeld(t *testing.T, s returners.Returner) {
	ctx := context.Background()
	for job := range 3 {
		must(t, s.SaveLoads(ctx, []returners.Load{Load(t, job, "state.apply", "*")}))
		must(t, s.SaveExpectations(ctx, []returners.Expectation{{JID: JID(job), Minions: []string{"a"}, At: Time(job)}}))
		must(t, s.SaveReturns(ctx, []returners.Return{Return(t, job, "quick", "state.apply", true)}))
	}
	must(t, s.Hold(ctx, nil))
	must(t, s.Hold(ctx, []string{JID(1), JID(99)})) // an unknown job cannot be held
	cleanAll(t, s, Time(500))
	for job := range 3 {
		_, ok, err := s.GetLoad(ctx, JID(job))
		must(t, err)
		n := len(get[[]returners.Return](t)(s.GetReturns(ctx, JID(job))))
		e := len(get[[]returners.Expectation](t)(s.GetExpectations(ctx, JID(job))))
		if held := job == 1; ok != held || (n == 1) != held || (e == 1) != held {
			t.Errorf("job %d: load %v, %d returns, %d expectations", job, ok, n, e)
		}
	}
}

func testClosed(t *testing.T, s returners.Returner) {
	must(t, s.Close())
	must(t, s.Close())
	err := s.SaveReturns(context.Background(), []returners.Return{Return(t, 1, "a", "test.ping", true)})
	if err == nil {
		t.Error("a closed store took a return")
	}
}
