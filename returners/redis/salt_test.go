package redis

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Keys, forms and lives are those of Salt's returner.
func TestKeysOfSalt(t *testing.T) {
	srv := empty(t)
	s, c := open(t, srv), raw(t, srv)
	ctx := t.Context()
	load := returnertest.Load(t, 1, "test.ping", "*")
	rets := []returners.Return{
		returnertest.Return(t, 1, "web", "test.ping", true), returnertest.Return(t, 2, "web", "test.ping", false),
		returnertest.Return(t, 3, "web", "test.ping,test.echo", "é"),
	}
	must(t, s.SaveLoads(ctx, []returners.Load{load}))
	must(t, s.SaveReturns(ctx, rets))
	texts := map[string]string{
		"load:" + returnertest.JID(1): returnertest.JSON(t, load.Raw), "web:test.ping": returnertest.JID(2), "web:['test.ping', 'test.echo']": returnertest.JID(3),
	}
	for key, want := range texts {
		if got, err := c.Get(ctx, key).Result(); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", key, got, err, want)
		}
	}
	for i := range rets {
		key := "ret:" + rets[i].JID
		got, err := c.HGetAll(ctx, key).Result()
		if err != nil || !cmp.Equal(got, map[string]string{"web": returnertest.JSON(t, rets[i].Full)}) {
			t.Errorf("%s: %v, %v", key, got, err)
		}
		texts[key] = ""
	}
	texts["mom/job/"+returnertest.JID(1)] = ""
	for key := range texts {
		if ttl, err := c.TTL(ctx, key).Result(); err != nil || ttl <= 23*time.Hour || ttl > 24*time.Hour {
			t.Errorf("%s lives %v, %v", key, ttl, err)
		}
	}
	if got, err := c.SMembers(ctx, "minions").Result(); err != nil || !cmp.Equal(got, []string{"web"}) {
		t.Errorf("minions: %v, %v", got, err)
	}
}

// What Salt's returner wrote is read: it has no expectations and no times of returns.
func TestReadsSalt(t *testing.T) {
	srv := empty(t)
	s, c := open(t, srv), raw(t, srv)
	ctx := t.Context()
	j := returnertest.JID(7)
	for _, cmd := range [][]any{
		{"setex", "load:" + j, 86400, `{"cmd": "publish", "tgt": "*", "fun": "test.ping", "arg": [], "tgt_type": "glob", "jid": "` + j + `", "user": "sudo_ann"}`},
		{"hset", "ret:" + j, "web", `{"cmd": "_return", "id": "web", "success": true, "return": "\u00e9", "retcode": 0, "jid": "` + j + `", "fun": "test.ping", "_stamp": "x"}`},
		{"hset", "ret:" + j, "old", `{"id": "old", "return": false, "retcode": 1, "fun": "test.ping"}`},
		{"set", "web:test.ping", j},
		{"sadd", "minions", "web", "old"},
		{"set", "load:test.ping", j},
		{"sadd", "load:list", "x"},
	} {
		must(t, c.Do(ctx, cmd...).Err())
	}
	l, ok, err := s.GetLoad(ctx, j)
	if err != nil || !ok || l.User != "sudo_ann" || l.Fun() != "test.ping" || !l.At.Equal(returnertest.Time(7)) {
		t.Errorf("load %+v, %v, %v", l, ok, err)
	}
	jobs, err := s.ListJobs(ctx, returners.Filter{})
	if err != nil || len(jobs) != 1 || jobs[0].JID != j {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
	rets, err := s.GetReturns(ctx, j)
	if err != nil || len(rets) != 2 || rets[0].Success || rets[0].Retcode != 1 || !rets[1].Success || returnertest.JSON(t, rets[1].Value) != `"é"` || !rets[1].At.IsZero() {
		t.Errorf("returns %+v, %v", rets, err)
	}
	last, err := s.GetFun(ctx, "test.ping")
	if err != nil || len(last) != 1 || last["web"].JID != j {
		t.Errorf("last returns %+v, %v", last, err)
	}
	if exps, err := s.GetExpectations(ctx, j); err != nil || len(exps) != 0 {
		t.Errorf("expectations %+v, %v", exps, err)
	}
	must(t, s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 7, "web", "test.ping", "second")}))
	if r, _, err := s.GetReturn(ctx, j, "web"); err != nil || returnertest.JSON(t, r.Value) != `"é"` {
		t.Errorf("Salt's return was replaced: %+v, %v", r, err)
	}
}

// A further publication of a job extends its load; anything else leaves it.
func TestExtendedLoad(t *testing.T) {
	s := open(t, empty(t))
	ctx := t.Context()
	load := returnertest.Load(t, 1, "test.ping", []any{"a"}, "tgt_type", "list")
	must(t, s.SaveLoads(ctx, []returners.Load{load}))
	grown := load
	must(t, grown.Extend([]string{"b", "c"}, 3))
	for range 2 {
		must(t, s.SaveLoads(ctx, []returners.Load{grown, load}))
		got, _, err := s.GetLoad(ctx, load.JID)
		if err != nil || got.Part() != 3 || len(got.Targets()) != 3 {
			t.Errorf("%v of part %d, %v", got.Targets(), got.Part(), err)
		}
	}
}

// Several masters write who is expected, in any order; a minion that returned is not missing.
func TestExpectationsOfSeveralMasters(t *testing.T) {
	j := returnertest.JID(1)
	top := returners.Expectation{JID: j, Node: "syn/leaf", Minions: []string{"a"}, Missing: map[string]string{"b": "down"}}
	below := returners.Expectation{JID: j, Node: "leaf", Minions: []string{"b"}, Missing: map[string]string{"a": "busy", "r": "gone"}}
	moved := returners.Expectation{JID: j, Node: "new", Minions: []string{"r"}}
	for _, order := range [][]returners.Expectation{{top, below, moved}, {moved, below, top}, {below, moved, top}} {
		s := open(t, empty(t))
		must(t, s.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "gone", "test.ping", true)}))
		for _, x := range order {
			must(t, s.SaveExpectations(t.Context(), []returners.Expectation{x}))
		}
		must(t, s.SaveExpectations(t.Context(), []returners.Expectation{{JID: j, Node: "leaf", Missing: map[string]string{"gone": "x"}}}))
		got, err := s.GetExpectations(t.Context(), j)
		must(t, err)
		for i := range got {
			got[i].At = time.Time{}
		}
		want := []returners.Expectation{
			{JID: j, Node: "leaf", Minions: []string{"gone"}},
			{JID: j, Node: "new", Minions: []string{"r"}},
			{JID: j, Node: "syn/leaf", Minions: []string{"a"}, Missing: map[string]string{"b": "down"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A minion cannot overwrite loads and returns by its name and the name of a function.
func TestMinionNamedLikeAKey(t *testing.T) {
	s := open(t, empty(t))
	ctx := t.Context()
	load := returnertest.Load(t, 1, "test.ping", "*")
	must(t, s.SaveLoads(ctx, []returners.Load{load}))
	evil := []returners.Return{
		returnertest.Return(t, 2, "load", load.JID, "x"), returnertest.Return(t, 2, "ret", load.JID, "x"),
		returnertest.Return(t, 2, "mom/job/"+load.JID, "", "x"), returnertest.Return(t, 2, "", "minions", "x"),
	}
	must(t, s.SaveReturns(ctx, evil))
	got, ok, err := s.GetLoad(ctx, load.JID)
	if err != nil || !ok || returnertest.JSON(t, got.Raw) != returnertest.JSON(t, load.Raw) {
		t.Errorf("load %+v, %v, %v", got, ok, err)
	}
	must(t, s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 1, "web", "test.ping", true)}))
	if rets, err := s.GetReturns(ctx, load.JID); err != nil || len(rets) != 1 {
		t.Errorf("returns %+v, %v", rets, err)
	}
}

// The age of a job is that of the server's clock: neither a master with a wrong one nor the
// clean-up of another removes it.
func TestAgesAreThoseOfTheServer(t *testing.T) {
	srv := empty(t)
	c := raw(t, srv)
	ctx := context.Background()
	wrong := open(t, srv, func(o *Options) { o.Now = func() time.Time { return time.Now().Add(100 * 365 * 24 * time.Hour) } })
	s := open(t, srv)
	for job := range 3 {
		must(t, s.SaveLoads(ctx, []returners.Load{returnertest.Load(t, job, "test.ping", "*")}))
		must(t, s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, job, "web", "test.ping", true)}))
	}
	must(t, s.SaveReturns(ctx, []returners.Return{returnertest.Return(t, 3, "web", "test.ping", true)})) // no load
	for _, cleaner := range []*Store{s, wrong} {
		if n, err := cleaner.CleanOlder(ctx, time.Hour, 10); err != nil || n != 0 {
			t.Errorf("%d rows of living jobs removed, %v", n, err)
		}
	}
	must(t, c.Persist(ctx, "load:"+returnertest.JID(0)).Err())
	for _, job := range []int{1, 2, 3} { // as the server does at the end of their lives
		for _, key := range []string{"load:", "ret:", "mom/job/"} {
			must(t, c.Del(ctx, key+returnertest.JID(job)).Err())
		}
	}
	removed := 0
	for {
		n, err := s.CleanOlder(ctx, time.Hour, 2)
		must(t, err)
		if n == 0 {
			break
		}
		removed += n
	}
	left, err := c.ZRange(ctx, jobsKey, 0, -1).Result()
	if err != nil || removed != 3 || !cmp.Equal(left, []string{returnertest.JID(0)}) {
		t.Errorf("%d removed, left %v, %v", removed, left, err)
	}
	if ttl, err := c.TTL(ctx, "load:"+returnertest.JID(0)).Result(); err != nil || ttl <= 0 || ttl > time.Hour {
		t.Errorf("a key without an end lives %v, %v", ttl, err)
	}
	must(t, s.Hold(ctx, []string{returnertest.JID(0)}))
	if ttl, err := c.TTL(ctx, "load:"+returnertest.JID(0)).Result(); err != nil || ttl < 23*time.Hour {
		t.Errorf("a held key lives %v, %v", ttl, err)
	}
	if _, err := s.CleanOlder(ctx, time.Hour, 0); err == nil {
		t.Error("limit 0 is taken")
	}
	if _, err := s.Clean(ctx, time.Now(), 0); err == nil {
		t.Error("limit 0 is taken")
	}
}

// Without keep_jobs_seconds nothing expires.
func TestKeptForEver(t *testing.T) {
	srv := empty(t)
	s, c := open(t, srv, func(o *Options) { o.Keep = 0 }), raw(t, srv)
	must(t, s.SaveLoads(t.Context(), []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}))
	must(t, s.SaveReturns(t.Context(), []returners.Return{returnertest.Return(t, 1, "web", "test.ping", true)}))
	must(t, s.SaveExpectations(t.Context(), []returners.Expectation{{JID: returnertest.JID(1), Minions: []string{"web"}}}))
	keys, err := c.Keys(t.Context(), "*").Result()
	must(t, err)
	for _, k := range keys {
		if ttl := c.TTL(t.Context(), k).Val(); ttl != endless {
			t.Errorf("%s lives %v", k, ttl)
		}
	}
	if len(keys) != 6 {
		t.Errorf("keys %v", keys)
	}
}
