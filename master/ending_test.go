package master

import (
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// awayMinion starts a master with one known minion that is away: each job closes at once with one
// missing minion.
func awayMinion(t *testing.T, r *rig) {
	t.Helper()
	r.accept("m1", "minion")
	r.start()
	m := r.minion("m1", "minion", "minion").listen("broadcast").announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
}

// A job is listed for the masters above from its last report until its end is stored, also while
// the disk is full: the report may be lost in between.
func TestJobThatIsJustClosedIsReportedAgain(t *testing.T) {
	r := belowATop(t)
	store := newGated(r)
	awayMinion(t, r)
	store.word = true
	for name, full := range map[string]error{"a slow disk": nil, "a full disk": returners.ErrFull} {
		hold := make(chan struct{})
		store.set(full, hold)
		events := r.events()
		jid := r.say(testJob("*", "glob")).Map("load").String("jid")
		events.take("salt/job/" + jid + "/complete")
		<-store.here
		time.AfterFunc(100*time.Millisecond, func() { close(hold) })
		if jids := r.OpenJobs("", 10); !slices.Contains(jids, jid) {
			t.Errorf("%s: listed are %v, and not %s", name, jids, jid)
		}
		store.set(nil, nil)
	}
}

// A job stays listed while a node's report of it, after its end, is not stored.
func TestJobWithLateReportIsReportedAgain(t *testing.T) {
	r := belowATop(t)
	store := newGated(r)
	r.accept("n1", "syndic")
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen("syndic").announce()
	store.word = true
	hold := make(chan struct{})
	store.set(nil, hold)
	events := r.events()
	tag := "salt/job/" + someJob + "/missing"
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		n.must(wire.NewMap("cmd", "_minion_event", "id", "n1", "pretag", "syndic/n1", "events", []any{wire.NewMap("tag", tag, "data",
			wire.NewMap("jid", someJob, "missing", wire.NewMap("x1", wire.NewMap("reason", "Not connected", "path", "")), "nodes", wire.NewMap()))}))
	}()
	events.take(tag) // sent up, where it may be lost
	time.AfterFunc(100*time.Millisecond, func() { close(hold) })
	if jids := r.OpenJobs("", 10); !slices.Contains(jids, someJob) {
		t.Errorf("listed are %v", jids)
	}
	<-answered
	if jids := r.OpenJobs("", 10); !slices.Contains(jids, someJob) {
		t.Errorf("after it is stored, listed are %v", jids)
	}
}

// Jobs that close while the disk is full are stored with their missing minions once there is room.
// word_queue is 2, with 12 jobs.
func TestJobsClosedOnAFullDiskAreClosedInThisLife(t *testing.T) {
	const jobs = 12
	r := newRig(t, func(c *config.Master) { c.PublishRetention, c.Bounds.WordQueue = 0, 2 })
	r.opts.Parent = returners.DestAbove
	store := newGated(r)
	awayMinion(t, r)
	store.word = true
	store.set(returners.ErrFull, nil)
	events := r.events()
	var jids []string
	for range jobs {
		jid := r.say(testJob("*", "glob")).Map("load").String("jid")
		events.take("salt/job/" + jid + "/complete")
		jids = append(jids, jid)
	}
	store.set(nil, nil)
	eventually(t, "all jobs closed on the disk", func() bool {
		return len(r.notes(returners.NoteOpen)) == 0
	})
	for _, jid := range jids {
		xs, err := r.store.Local().GetExpectations(t.Context(), jid)
		if err != nil || len(xs) != 1 || xs[0].Missing["m1"] != engine.NotConnected {
			t.Errorf("stored of %s: %+v, %v", jid, xs, err)
		}
		// The store acknowledges a commit after its rows can be read.
		eventually(t, "the end of "+jid+" reported to the parent", func() bool { _, closed := r.LastReport(jid); return closed })
	}
}
