package master

import (
	"fmt"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// When a job arrives a second time, the answer names the minions that received it. A guest that
// came later did not, and the requester would wait for it.
func TestASecondAskerDoesNotHearOfGuestsThatCameLater(t *testing.T) {
	r := belowATop(t)
	r.start()
	r.minion("own", "minion", "minion").listen().announce()
	r.say(testJob("*", "glob", "jid", someJob))
	r.guest("syndic").listen().announce()
	events := r.events()
	r.say(testJob("*", "glob", "jid", someJob))
	if d := events.take(someJob); !slices.Equal(wire.Texts(d.List("minions")), []string{"own"}) {
		t.Errorf("the second report names %v", d.List("minions"))
	}
	for _, e := range events.rest() {
		if d, err := wire.DecodeMap(e.Data); e.Tag == someJob && (err != nil || slices.Contains(d.List("minions"), any("guest"))) {
			t.Errorf("the guest is reported: %v, %v", d, err)
		}
	}
}

// A guest announces a pending return that is already stored, because the acknowledgement was lost.
// The account opened for it ends at once.
func TestGuest_AnnouncesAStoredReturn(t *testing.T) {
	r := newRig(t)
	r.start()
	guest := r.guest("minion")
	if err := guest.answer(someJob, true); err != nil {
		t.Fatal(err)
	}
	events := r.events()
	guest.listen().announce(someJob)
	if d := events.take("salt/job/" + someJob + "/complete"); d.Int("returned") != 1 {
		t.Errorf("closed with %v", plain(t, d))
	}
}

// A minion returns home while running a job. Its home answers for the job, whether it had reported
// the minion missing or never had the job.
func TestAMinionComesHomeAtWork(t *testing.T) {
	const other = "20260101000000000099"
	r := belowATop(t)
	r.start()
	own := r.minion("own", "minion", "minion").listen().announce()
	r.say(testJob("*", "glob", "jid", someJob))
	own.mute()
	eventually(t, "its home to miss it", func() bool {
		a, ok := r.jobs.State(someJob)
		return ok && len(a.Missing) == 1
	})
	events := r.events()
	own.listen()
	back := func() {
		eventually(t, "the announcement", func() bool {
			reply, _, err := own.Announce(t.Context(), channel.Presence{
				Version: "test", Running: []string{someJob, other}, More: wire.NewMap("back", true),
			})
			return err == nil && reply.Bool("session")
		})
		for _, jid := range []string{someJob, other} {
			if d := events.take(jid); !d.Map("mom").Bool("moved") {
				t.Errorf("%s is reported as %v", jid, plain(t, d))
			}
			if a, ok := r.jobs.State(jid); !ok || !a.Open() || len(a.Missing) > 0 {
				t.Errorf("%s is known %v, as %+v", jid, ok, a)
			}
		}
	}
	back() // it was missing, or is unknown
	back() // the job waited for it
}

// A guest's job is resumed after a restart. If the guest does not come back, it is missing here,
// and the masters above do not wait for it.
func TestAnAdoptedJobOutlivesARestart(t *testing.T) {
	r := belowATop(t)
	r.start()
	guest := r.guest("minion").listen().announce(someJob)
	eventually(t, "it on disk", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), someJob)
		return err == nil && len(xs) == 1
	})
	guest.mute()
	r.restart()
	eventually(t, "the job to be known", func() bool {
		a, ok := r.jobs.State(someJob)
		return ok && a.Open() && len(a.Waiting) == 1
	})
	r.jobs.MinionDown("guest", 1) // skips the grace period after a start
	eventually(t, "the guest to be missed", func() bool {
		a, ok := r.jobs.State(someJob)
		return ok && !a.Open() && len(a.Missing) == 1
	})
}

// A guest was running a job when it came, and the job's load arrived with returns from below. When
// the parent sends the job after a restart, it still counts as new, once.
func TestAnAdoptedJobIsPublishedAfterARestart(t *testing.T) {
	for name, ended := range map[string]bool{"its account was closed": true, "its account is open": false} {
		t.Run(name, func(t *testing.T) {
			r := belowATop(t)
			r.start()
			guest := r.guest("minion").listen().announce(someJob)
			r.minion("n1", "syndic", "syndic").must(syndicReturn("n1", someJob, "below"))
			eventually(t, "the guest on disk", func() bool {
				xs, err := r.store.Local().GetExpectations(t.Context(), someJob)
				return err == nil && slices.ContainsFunc(xs, func(x returners.Expectation) bool { return x.Node == "" })
			})
			if ended {
				if err := guest.answer(someJob, true); err != nil {
					t.Fatal(err)
				}
				eventually(t, "the job to end", func() bool { return r.closed(someJob) })
			}
			guest.mute()
			r.restart()
			<-r.server.Opened()
			if a, known := r.jobs.State(someJob); known == ended {
				t.Errorf("known %v, as %+v", known, a)
			}
			own := r.minion("own", "minion", "minion").listen().announce()
			r.say(testJob("*", "glob", "jid", someJob))
			if p := own.hear(); p.JID != someJob {
				t.Errorf("published is %s", p.JID)
			}
			a, ok := r.jobs.State(someJob)
			if _, waits := a.Waiting["own"]; !ok || !waits {
				t.Errorf("it waits for %v", a.Waiting)
			}
			r.say(testJob("*", "glob", "jid", someJob)) // this is the second time
			jid := r.say(testJob("*", "glob")).Map("load").String("jid")
			if p := own.hear(); p.JID != jid {
				t.Errorf("published is %s, want %s", p.JID, jid)
			}
		})
	}
}

// A guest announces invalid job ids, or too many.
func TestAnAnnouncementIsNotBelievedBlindly(t *testing.T) {
	r := newRig(t)
	r.start()
	guest := r.guest("minion")
	running := []string{"../../x", "salt/forged"}
	for i := range 2 * r.cfg.Bounds.Adopted {
		running = append(running, fmt.Sprintf("20260101%012d", i))
	}
	events := r.events()
	guest.listen().announce(running...)
	if n := len(r.jobs.Active()); n > r.cfg.Bounds.Adopted || n < r.cfg.Bounds.Adopted-2 {
		t.Errorf("%d jobs are adopted", n)
	}
	for _, tag := range events.tags() {
		if tag == "../../x" || tag == "salt/forged" {
			t.Errorf("it fired %s", tag)
		}
	}
}

// An accepted minion invents jobs, 2,000 per request. The jobs opened, in memory and on disk, are
// limited per minion and in total, however many requests it sends.
func TestInventedJobsAreBounded(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.Bounds.Adopted, c.Bounds.Brought = 50, 70 })
	r.start()
	invent := func(m *minion, from int) {
		var jids []string
		for i := range 2000 {
			jids = append(jids, fmt.Sprintf("20260101%012d", from+i))
		}
		if _, _, err := m.Announce(t.Context(), channel.Presence{Version: "test", Running: jids, More: wire.NewMap("back", true)}); err != nil {
			t.Fatal(err)
		}
	}
	opened := func() (jobs, marks int) { return len(r.jobs.Active()), len(r.jobs.Open()) }
	liar := r.minion("liar", "minion", "minion").listen().announce()
	for k := range 10 {
		invent(liar, k*2000)
		if jobs, marks := opened(); jobs > 50 || marks > 50 || k == 0 && jobs != 50 {
			t.Fatalf("after %d requests %d jobs are open, %d marked", k+1, jobs, marks)
		}
	}
	invent(r.minion("other", "minion", "minion2").listen().announce(), 100000)
	if jobs, marks := opened(); jobs > 70 || marks > 70 {
		t.Errorf("%d jobs are open, %d marked", jobs, marks)
	}
	// Known jobs do not count against the limit.
	real := r.say(testJob("liar", "glob")).Map("load").String("jid")
	if a, ok := r.jobs.State(real); !ok || !a.Open() {
		t.Errorf("the account of a real job: %+v", a)
	}
}
