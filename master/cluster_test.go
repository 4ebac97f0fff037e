package master

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// twoTops starts two tops of one cluster, one and two, which have admitted each other.
func twoTops(t *testing.T, change ...func(*config.Master)) (one, two *rig) {
	t.Helper()
	top := func(id string) *rig {
		r := newRig(t, append(change, ordersMasters, func(c *config.Master) { c.ID, c.ClusterID = id, "c" })...)
		for _, other := range []string{"one", "two"} {
			if other != id {
				r.accept(other, "master")
				if _, err := admitted.Tops.Admit(r.cfg.PkiDir, other); err != nil {
					t.Fatal(err)
				}
			}
		}
		return r
	}
	one, two = top("one").start(), top("two")
	two.cfg.ClusterPeers = []string{fmt.Sprintf("127.0.0.1:%d", one.ret)}
	two.start()
	one.cfg.ClusterPeers = []string{fmt.Sprintf("127.0.0.1:%d", two.ret)}
	one.restart()
	for _, r := range []*rig{one, two} {
		eventually(t, "the tops connected", func() bool { return r.cluster.Status()[0].Up })
	}
	return one, two
}

// expects reports the minions of a node to a master.
func (m *minion) expects(jid string, ids ...string) {
	m.t.Helper()
	tag, data := jobevent.Expectation{JID: jid, Minions: ids, Ours: true, Asked: []string{}, Unreachable: map[string]string{}}.Encode()
	m.must(wire.NewMap("cmd", "_minion_event", "id", m.id, "pretag", "syndic/"+m.id, "events", []any{wire.NewMap("tag", tag, "data", data)}))
}

// A job of one top is in the store of the other before a node hears it. The node hears it once, with
// the names of both, and both tops count its returns.
func TestTops_OneJob(t *testing.T) {
	one, two := twoTops(t)
	at1 := one.minion("n1", "syndic", "syndic").listen().announce()
	at2 := two.minion("n1", "syndic", "syndic").listen().announce()
	events := two.events()
	jid := one.say(testJob("*", "glob")).Map("load").String("jid")
	p := at1.hear()
	if got := jobfields.Tops(p); p.JID != jid || !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("heard %s with the tops %v", p.JID, got)
	}
	a, known := two.jobs.State(jid)
	if !known || !a.Open() || a.Nodes["n1"] != jobevent.NodeAsked {
		t.Fatalf("the other top has %+v, %v", a, known)
	}
	ours, _, err := one.store.Local().GetLoad(t.Context(), jid)
	theirs, ok, err2 := two.store.Local().GetLoad(t.Context(), jid)
	if err != nil || err2 != nil || !ok || string(ours.Raw) != string(theirs.Raw) || ours.User != theirs.User {
		t.Errorf("loads %q and %q, %v, %v", ours.Raw, theirs.Raw, err, err2)
	}
	events.take("salt/job/" + jid + "/new")
	for _, at := range []*minion{at1, at2} {
		at.expects(jid, "a")
		at.must(syndicReturn("n1", jid, "a"))
	}
	for _, r := range []*rig{one, two} {
		eventually(t, "the end of the job", func() bool { return r.closed(jid) })
		if got := stored(t, r, jid); len(got) != 1 || got["a"] != "n1" {
			t.Errorf("stored %v", got)
		}
	}
	events.take("salt/job/" + jid + "/complete")
	if len(at2.heard) != 0 {
		t.Error("the other top published the job, too")
	}
}

// A node that does not hear a job from the top that publishes it gets it from the other one.
func TestTops_TakeOver(t *testing.T) {
	one, two := twoTops(t)
	at2 := two.minion("n1", "syndic", "syndic").listen().announce()
	jid := one.say(testJob("*", "glob", "jid", someJob)).Map("load").String("jid")
	if jid != "" && jid != someJob {
		t.Fatalf("jid %q", jid)
	}
	p := at2.hear()
	if p.JID != someJob || !slices.Equal(jobfields.Tops(p), []string{"one", "two"}) {
		t.Errorf("heard %s with the tops %v", p.JID, jobfields.Tops(p))
	}
	at2.expects(someJob, "a")
	at2.must(syndicReturn("n1", someJob, "a"))
	eventually(t, "the end of the job", func() bool { return two.closed(someJob) })
	eventually(t, "the publication dropped", func() bool { return len(two.notes(returners.NotePublication)) == 0 })
}

// A return of a part of a job that this top has not received yet is stored, as after its restart: it was
// full when the other top passed the part. A return that a target by pattern excludes is refused.
func TestTops_ReturnBeforeItsPart(t *testing.T) {
	one, two := twoTops(t)
	at1 := one.minion("n1", "syndic", "syndic").listen().announce()
	jid := one.say(testJob([]any{"a"}, "list")).Map("load").String("jid")
	at1.expects(jid, "a")
	byName := one.say(testJob("a*", "glob")).Map("load").String("jid")
	at2 := two.minion("n1", "syndic", "syndic").listen().announce()
	at2.must(syndicReturn("n1", jid, "b"))
	at2.must(syndicReturn("n1", byName, "b"))
	if got := stored(t, two, jid); len(got) != 1 || got["b"] != "n1" {
		t.Errorf("stored %v", got)
	}
	if got := stored(t, two, byName); len(got) != 0 {
		t.Errorf("stored of the job for a*: %v", got)
	}
	two.restart()
	two.minion("n1", "syndic", "syndic").listen().announce().must(syndicReturn("n1", jid, "c"))
	if got := stored(t, two, jid); len(got) != 2 {
		t.Errorf("stored after a restart: %v", got)
	}
}

// Only an admitted top passes jobs: another accepted key is refused and reported, as is a top that
// is not admitted any more.
func TestTops_NotAdmitted(t *testing.T) {
	one, two := twoTops(t)
	m := two.minion("n1", "syndic", "syndic")
	if d := m.must(wire.NewMap("cmd", publish.ShareCommand)).(*wire.Map); !strings.Contains(d.String("error"), "mom node admit --top n1") {
		t.Errorf("answer %v", d)
	}
	if d := m.must(wire.NewMap("cmd", "_cluster_keys", "records", []any{})).(*wire.Map); !strings.Contains(d.String("error"), "mom node admit --top n1") {
		t.Errorf("answer %v", d)
	}
	if _, err := admitted.Tops.Withdraw(two.cfg.PkiDir, "one"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other top lost", func() bool { return strings.Contains(one.cluster.Status()[0].Why, "is not admitted at two") })
	one.reportProblems()
	if ps := one.reported().Problems; !slices.ContainsFunc(ps, func(p topology.Problem) bool { return strings.Contains(p.Detail, "mom node admit --top one") }) {
		t.Errorf("problems %v", ps)
	}
	if x := one.reported().Tops; len(x) != 1 || x[0].ID != "two" || x[0].State != topology.Down {
		t.Errorf("tops %+v", x)
	}
}

// A top that missed a job, and has a return of it only, answers for it as the top that ran it, as does
// the list of jobs. A user may read his job there, too.
func TestTops_LookUp(t *testing.T) {
	one, two := twoTops(t, loginUsers)
	load := testJob("*", "glob")
	load.Set("kwargs", wire.NewMap("eauth", "auto", "username", "alice", "password", "x"))
	at1 := one.minion("n1", "syndic", "syndic").listen().announce()
	if _, err := admitted.Tops.Withdraw(two.cfg.PkiDir, "one"); err != nil { // so that two misses the job
		t.Fatal(err)
	}
	eventually(t, "the other top lost", func() bool { return !one.cluster.Status()[0].Up })
	jid := one.say(load).Map("load").String("jid")
	at1.expects(jid, "a", "b")
	at1.must(syndicReturn("n1", jid, "a"))
	two.minion("n1", "syndic", "syndic").must(syndicReturn("n1", jid, "b"))
	one.restart() // it forgets what it has for the other top
	one.minion("n1", "syndic", "syndic").listen().announce()
	if _, err := admitted.Tops.Admit(two.cfg.PkiDir, "one"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other top back", func() bool { return two.cluster.Status()[0].Up })
	if _, known := two.jobs.State(jid); known {
		t.Fatal("the other top has the account")
	}
	ev := two.events()
	shown, err := topology.FromMap(two.run(ev, "topology.tree", wire.NewMap()).Map("return"))
	if err != nil || len(shown.Tops) != 1 || shown.Tops[0].ID != "one" || shown.Tops[0].State != topology.Up {
		t.Errorf("topology.tree shows the tops %+v, error %v", shown.Tops, err)
	}
	look := func(fun string, args ...any) *wire.Map {
		return two.run(ev, fun, wire.NewMap("arg", args)).Map("return")
	}
	if got := look("jobs.lookup_jid", jid); got.Len() != 2 || !got.Has("a") || !got.Has("b") {
		t.Errorf("jobs.lookup_jid: %v", got)
	}
	if got := look("jobs.list_job", jid); got.String("Target") != "*" || !slices.Equal(got.Strings("Minions"), []string{"a", "b"}) || got.Map("Missing") != nil {
		t.Errorf("jobs.list_job: %v", got)
	}
	if got := look("jobs.print_job", jid).Map(jid); got.Map("Result").Len() != 2 {
		t.Errorf("jobs.print_job: %v", got)
	}
	if got := look("jobs.exit_success", jid); got.Len() != 2 {
		t.Errorf("jobs.exit_success: %v", got)
	}
	if got := look("jobs.list_jobs").Map(jid); got.String("Function") != "test.ping" {
		t.Errorf("jobs.list_jobs: %v", got)
	}
	if got := look("jobs.active").Map(jid); got.String("StartedAt") != "one" {
		t.Errorf("jobs.active: %v", got)
	}
	if l, ok, err := two.jobLoad(t.Context(), jid); err != nil || !ok || !strings.Contains(string(l.Raw), "alice") {
		t.Errorf("load of the job: %q, %v, %v", l.Raw, ok, err)
	}
}
