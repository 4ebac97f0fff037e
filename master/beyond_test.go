package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// A Python master below counts our syndic below it as a minion. It forwards each of the syndic's
// messages twice: once as its own and once under the name of the node.
func TestNodeOfOursBehindAPythonMaster(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	node.must(bulk("syndic/n1", event("salt/syndic/n1/start", wire.NewMap())))
	events := r.events()
	for round := range 2 { // in the second round the syndic is known from the start
		jid := r.say(testJob("*", "glob")).Map("load").String("jid")
		ours := wire.NewMap("minions", []any{"b", "c"}, "jid", jid,
			"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap("c", "Not connected")))
		node.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"a", "n2"}))))
		if a, _ := r.jobs.State(jid); round == 0 && a.Expected != 2 || round == 1 && a.Expected != 1 {
			t.Errorf("round %d: expected %d", round, a.Expected)
		}
		node.must(bulk("syndic/n1", event(jid, ours), event("syndic/n2/"+jid, ours)))
		node.must(syndicReturn("n1", jid, "a", "b"))
		a, _ := r.jobs.State(jid)
		if a.Expected != 3 || a.Returned != 2 || a.Missing["c"].Path != "n1/n2" || len(a.Waiting) != 0 {
			t.Errorf("round %d: account %+v", round, a)
		}
		events.take("syndic/n1/syndic/n2/" + jid)
	}
}

// All minions of a list target have answered. The job does not wait for a Python node below, which
// cannot report that it has no further ones.
func TestNamedMinionsEndAJob(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	node.must(bulk("syndic/n1", event("salt/syndic/n1/start", wire.NewMap())))
	events := r.events()
	jid := r.say(testJob([]any{"a", "b"}, "list")).Map("load").String("jid")
	node.must(syndicReturn("n1", jid, "a", "b"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 2 || d.Float("seconds") > 4 {
		t.Errorf("complete %v", plain(t, d))
	}
}

// A forwarder on a Python master reports the expected minions. This master checks the silent ones,
// so the masters above need not.
func TestExpectationOfAForwarder(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		// The node has Timeout to report the expected minions. The machine may be busy.
		c.OrderMasters, c.Timeout, c.GatherJobTimeout = true, 3*time.Second, 50*time.Millisecond
	})
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	node.hear()
	x := wire.NewMap("minions", []any{"a"}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap(), "untracked", true))
	node.must(bulk("syndic/n1", event(jid, x)))
	events.find("the expectation of n1", func(e bus.Event) bool {
		d, err := wire.DecodeMap(e.Data)
		return e.Tag == jid && err == nil && d.Map("mom").String("node") == "n1" && !d.Map("mom").Has("untracked")
	})
	if p := node.hear(); wire.FunName(p.Fun) != "saltutil.find_job" {
		t.Errorf("heard %s", wire.FunName(p.Fun))
	}
	d := events.take("salt/job/" + jid + "/complete")
	if m := d.Map("absent").Map("a"); m == nil || m.String("reason") != engine.NoResponse || m.String("path") != "n1" {
		t.Errorf("complete %v", plain(t, d))
	}
}
