package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// A minion that matches the master's copy of its grains, but not its actual ones, declines the job.
// The job ends at once and names the minion with the grains that do not match.
func TestDeclinedByItsData(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	if err := r.data.Put("m1", wire.NewMap("id", "m1", "os", "Debian"), wire.NewMap()); err != nil {
		t.Fatal(err)
	}
	events := r.events()
	began := time.Now()
	jid := r.say(testJob("os:Debian", "grain")).Map("load").String("jid")
	m.must(wire.NewMap("cmd", "_declined", "id", "m1", "jid", jid, "data", []any{"grains"}))
	d := events.take("salt/job/" + jid + "/complete")
	if why := d.Map("absent").Map("m1").String("reason"); why != engine.UnmatchedGrains || d.Int("expected") != 1 {
		t.Errorf("complete %v", plain(t, d))
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A connected minion of unknown grains is soon asked whether it runs the job. The match was
// uncertain, so the job ends without mentioning it.
func TestDeclinedByOneOfUnknownData(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	jid := r.say(testJob("os:Debian", "grain")).Map("load").String("jid")
	if p := m.hear(); p.JID != jid {
		t.Fatalf("heard %s", p.JID)
	}
	probe := m.hear()
	if wire.FunName(probe.Fun) != findJobFun || !probe.Extra.Bool("mom_probe") {
		t.Fatalf("asked by %+v", probe)
	}
	m.must(wire.NewMap("cmd", "_declined", "id", "m1", "jid", jid, "data", []any{"grains"}))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("expected") != 0 || d.Map("absent").Len() != 0 {
		t.Errorf("complete %v", plain(t, d))
	}
}

const findJobFun = "saltutil.find_job"

// An accepted key that never connected, and whose data are unknown, matches no target by data,
// whatever other minions match. It matches by its id.
func TestUnknownDataOfWhoIsNotConnected(t *testing.T) {
	c := &clock{at: time.Now()}
	r := newRig(t)
	r.opts.Now = c.now
	r.start()
	r.accept("ghost", "minion2")
	eventually(t, "the key seen", func() bool { return r.keys.Accepted("ghost") })
	r.minion("m1", "minion", "minion").listen().announce()
	if err := r.data.Put("m1", wire.NewMap("id", "m1", "os", "Debian"), wire.NewMap("k", "v")); err != nil {
		t.Fatal(err)
	}
	for _, later := range []time.Duration{0, time.Minute} { // right after the start, and when presence is certain
		c.forward(later)
		for kind, tgt := range map[string]string{"grain": "os:Debian", "pillar": "k:v", "compound": "G@os:Debian or I@k:v", "grain_pcre": "os:Deb.*"} {
			a, err := r.policy.Match(tgt, kind, "")
			if err != nil || len(a.Minions) != 1 || len(a.Unsure) != 0 {
				t.Errorf("%s means %q, not sure of %q, %v", tgt, a.Minions, a.Unsure, err)
			}
		}
		if a, err := r.policy.Match("nobody:no", "grain", ""); err != nil || !a.Nobody() {
			t.Errorf("a target without minions means %+v, %v", a.Minions, err)
		}
		if a, err := r.policy.Match("*", "glob", ""); err != nil || len(a.Minions) != 2 {
			t.Errorf("all are %q, %v", a.Minions, err)
		}
	}
}
