package master

import (
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// A user who was allowed to start a job may read it with the runners that read a single job,
// without a rule for runners, but not the jobs of others. The attackers are users with the names of
// machine users, and bob, who names two jobs or asks for more than one.
func TestOwnJobsByRunners(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	m := r.minion("near", "minion", "minion").listen().announce()
	jobs := map[string]string{"no such": someJob}
	for _, u := range []string{"bob", "root", "alice"} {
		load := testJob("near", "glob")
		load.Set("kwargs", wire.NewMap("eauth", "auto", "username", u, "password", "x"))
		jobs[u] = r.say(load).Map("load").String("jid")
		if err := m.answer(m.hear().JID, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range []string{"bob", "root"} { // by key
		jobs[u+" here"] = r.say(testJob("near", "glob", "key", rootKey, "user", u)).Map("load").String("jid")
		if err := m.answer(m.hear().JID, true); err != nil {
			t.Fatal(err)
		}
	}
	own, other := jobs["bob"], jobs["alice"]
	kw := func(kv ...any) *wire.Map { return wire.NewMap(kv...) }
	for _, c := range []struct {
		who, fun string
		args     []any
		kwargs   *wire.Map
		may      bool
	}{
		{"bob", "jobs.list_job", []any{own}, kw(), true},
		{"bob", "jobs.list_job", nil, kw("jid", own), true},
		{"bob", "jobs.lookup_jid", []any{own}, kw("missing", true), true},
		{"bob", "jobs.print_job", []any{own}, kw(), true},
		{"bob", "jobs.exit_success", []any{own}, kw(), true},
		{"bob", "topology.trace", []any{own}, kw(), true},
		{"bob", "jobs.list_job", []any{other}, kw(), false},
		{"bob", "topology.trace", []any{other}, kw(), false},
		{"bob", "jobs.list_job", []any{own}, kw("jid", other), false},
		{"bob", "jobs.list_job", []any{own}, kw("jid", own), false}, // duplicate argument: not a valid call
		{"bob", "jobs.list_job", []any{someJob}, kw(), false},
		{"bob", "jobs.list_job", []any{[]any{own, other}}, kw(), false},
		{"bob", "jobs.list_job", nil, kw(), false},
		{"bob", "jobs.list_jobs", []any{own}, kw(), false},
		{"bob", "jobs.active", []any{own}, kw(), false},
		{"bob", "manage.up", []any{own}, kw(), false},
		{"root", "jobs.list_job", []any{jobs["root"]}, kw(), true},
		{"root", "jobs.list_job", []any{jobs["root here"]}, kw(), false},
		{"bob", "jobs.list_job", []any{jobs["bob here"]}, kw(), false},
		{"carol", "jobs.list_job", []any{other}, kw(), true},
	} {
		c.kwargs.Set("arg", c.args)
		got := r.say(wire.NewMap("cmd", "runner", "fun", c.fun, "kwarg", c.kwargs, "eauth", "auto", "username", c.who, "password", "x", "key", rootKey, "user", "root"))
		if may := got.Map("error") == nil; may != c.may || may != (got.String("tag") != "") {
			t.Errorf("%s calls %s of %v %v: %v", c.who, c.fun, c.args, plain(t, c.kwargs), plain(t, got))
		}
	}
}

// A job that a runner starts for a login belongs to that login, and not to a machine user of the
// same name.
func TestJobsOfRunnersOfLogins(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	m := r.minion("near", "minion", "minion").listen().announce()
	got := r.say(wire.NewMap("cmd", "runner", "fun", "salt.execute", "kwarg", wire.NewMap("arg", []any{"near", "test.ping"}),
		"eauth", "auto", "username", "carol", "password", "x", "key", rootKey, "user", "root"))
	if got.String("tag") == "" {
		t.Fatalf("%v", plain(t, got))
	}
	jid := m.hear().JID
	if err := m.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	users := r.say(wire.NewMap("cmd", "job_users", "jids", []any{jid}, "key", rootKey, "user", "root")).Map("users")
	if users.String(jid) != "auto/carol" {
		t.Errorf("%v", plain(t, users))
	}
}

// Only the master's own user sees who started a job.
func TestJobUsers(t *testing.T) {
	r := freds(t)
	m := r.minion("m1", "minion", "minion").listen().announce()
	jid := r.say(testJob("*", "glob", "key", fredsKey, "user", "fred")).Map("load").String("jid")
	m.hear()
	for _, c := range []struct {
		with []any
		may  bool
	}{
		{[]any{"key", rootKey, "user", "root"}, true},
		{[]any{"key", fredsKey, "user", "fred"}, false},
		{[]any{"key", fredsKey, "user", "root"}, false},
		{[]any{"key", "", "user", "root"}, false},
		{[]any{"eauth", "auto", "username", "alice", "password", "x", "key", rootKey}, false},
	} {
		ask := func(jids ...any) *wire.Map {
			return r.say(wire.NewMap(append([]any{"cmd", "job_users", "jids", jids}, c.with...)...))
		}
		got := ask(jid, someJob, "../x", 7, jid)
		users := got.Map("users")
		if c.may != (got.Map("error") == nil) || c.may && (users.Len() != 1 || users.String(jid) != "fred") || !c.may && users != nil {
			t.Errorf("with %v: %v", c.with, plain(t, got))
		}
		if got := ask(make([]any, 4096)...); c.may && got.Map("users").Len() != 0 {
			t.Errorf("no texts: %v", plain(t, got))
		}
		many := make([]any, 4097)
		for i := range many {
			many[i] = jid
		}
		if got := ask(many...); got.Map("error") == nil {
			t.Errorf("too many: %v", plain(t, got))
		}
	}
}

// A background wheel call is answered at once and continues. Its result is an event, unless the
// result is private. Access rules still apply.
func TestWheelWithoutWaiting(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	ev := r.events()
	for _, c := range []struct {
		load []any
		want string // what the event contains
	}{
		{[]any{"fun", "key.list_all"}, "minions_pre"},
		{[]any{"fun", "key.gen_accept", "id_", "new"}, "nil"},
		{[]any{"fun", "key.nothing"}, "key.nothing"},
		{[]any{"fun", "key.list_all", "arg", []any{}, "kwarg", wire.NewMap("x", 1)}, "x"},
	} {
		got := r.say(wire.NewMap(append([]any{"cmd", "wheel", "async", true, "key", rootKey, "user", "root"}, c.load...)...))
		tag := got.String("tag")
		if got.Len() != 2 || tag == "" || tag != "salt/wheel/"+got.String("jid") {
			t.Fatalf("%v: %v", c.load, plain(t, got))
		}
		if d := ev.take(tag + "/new"); d.String("user") != "root" {
			t.Errorf("%v", plain(t, d))
		}
		d := ev.take(tag + "/ret")
		v, _ := d.Get("return")
		text := "nil"
		if v != nil {
			text = fmt.Sprint(plain(t, wire.NewMap("v", v)))
		}
		if !strings.Contains(text, c.want) || strings.Contains(text, "PRIVATE KEY") {
			t.Errorf("%v: %s", c.load, text)
		}
	}
	for _, login := range [][]any{
		{"eauth", "auto", "username", "carol", "password", "x"}, {"eauth", "sharedsecret", "username", "frank", "password", "guess"}, {"token", "x"},
	} {
		got := r.say(wire.NewMap(append([]any{"cmd", "wheel", "async", true, "fun", "key.list_all", "key", rootKey, "user", "root"}, login...)...))
		if got.Map("error") == nil || got.Has("jid") {
			t.Errorf("%v: %v", login, plain(t, got))
		}
	}
}
