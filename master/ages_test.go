package master

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/engine"
)

// storedOf reports whether load, returns and expectations of a job are stored.
func (r *rig) storedOf(jid string) string {
	_, loaded, err := r.store.Local().GetLoad(r.t.Context(), jid)
	if err != nil {
		r.t.Fatal(err)
	}
	rets, err := r.store.Local().GetReturns(r.t.Context(), jid)
	if err != nil {
		r.t.Fatal(err)
	}
	xs, err := r.store.Local().GetExpectations(r.t.Context(), jid)
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintf("load %v, %d returns, %d expectations", loaded, len(rets), len(xs))
}

// cleanedUp waits for a few rounds of cleanup.
func (r *rig) cleanedUp() {
	r.t.Helper()
	file := filepath.Join(r.cfg.Cachedir, "age_clock") // rewritten in each round
	for range 3 {
		was, err := os.Stat(file)
		if err != nil {
			r.t.Fatal(err)
		}
		eventually(r.t, "another round of the clean-up", func() bool {
			now, err := os.Stat(file)
			return err == nil && !now.ModTime().Equal(was.ModTime())
		})
	}
}

// With the clock 26 hours ahead or behind, nothing is removed and no queued job ends, with
// keep_jobs_seconds of 24 hours. Everything continues when the clock is right again.
func TestAClockThatJumpsRemovesNothing(t *testing.T) {
	for _, by := range []time.Duration{26 * time.Hour, -26 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			at := &clock{at: time.Now()}
			began := time.Now()
			r := newRig(t, func(c *config.Master) { c.LoopInterval = time.Millisecond })
			r.opts.Now = at.now
			r.opts.running = func() time.Duration { return time.Since(began) }
			r.start()
			m := r.minion("m1", "minion", "minion").listen().announce()
			over := r.say(testJob("m1", "glob")).Map("load").String("jid")
			m.hear()
			if err := m.answer(over, "result"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "its end", func() bool { return r.closed(over) })
			open := r.say(testJob("m1", "glob")).Map("load").String("jid")
			m.hear()
			r.accept("away", "minion")
			eventually(t, "the key of away", func() bool { return r.keys.Accepted("away") })
			queued := r.say(testJob("*", "glob", "queue_until", at.now().Add(20*time.Hour).Unix())).Map("load").String("jid")
			r.publications.Add(queued, []string{"away"}, nil)
			want := map[string]string{over: r.storedOf(over), open: r.storedOf(open), queued: r.storedOf(queued)}

			at.forward(by)
			r.cleanedUp()
			if _, jumped := r.ages.Look(); !jumped {
				t.Error("the jump is not noticed")
			}
			r.publications.Tend()
			r.reportProblems()
			if problems := r.Master.Snapshot().Problems; len(problems) != 1 {
				t.Errorf("the tree shows %+v", problems)
			}
			if by > 0 && r.publications.Wants(queued, "away") {
				t.Error("a queued job would be delivered after its deadline")
			}
			at.forward(-by)
			r.cleanedUp()
			for jid, was := range want {
				if got := r.storedOf(jid); got != was {
					t.Errorf("job %s: %s; before %s", jid, got, was)
				}
			}
			if len(r.publications.Queued()) != 1 || !r.publications.Wants(queued, "away") {
				t.Error("the queued job is not queued any more")
			}
			if !r.ages.Steady() {
				t.Error("the clock is right again and not trusted")
			}
			r.reportProblems()
			if problems := r.Master.Snapshot().Problems; len(problems) != 0 {
				t.Errorf("the tree still shows %+v", problems)
			}
			if err := m.answer(open, "result"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the end of the open job", func() bool { return r.closed(open) })
		})
	}
}

// Open and queued jobs outlive keep_jobs_seconds and restarts, and the account shows when a queued
// job expires.
func TestWhatIsOpenOrQueuedIsNeverCleaned(t *testing.T) {
	at := &clock{at: time.Now()}
	r := newRig(t, func(c *config.Master) { c.LoopInterval = time.Millisecond })
	r.opts.Now = at.now
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	over := r.say(testJob("m1", "glob")).Map("load").String("jid")
	m.hear()
	if err := m.answer(over, "result"); err != nil {
		t.Fatal(err)
	}
	busy := r.minion("m2", "minion", "minion").listen().announce()
	open := r.say(testJob("m2", "glob")).Map("load").String("jid")
	busy.hear()
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	at.forward(10 * time.Second) // past its lease, so the job is queued for it
	eventually(t, "m1 down", func() bool { return r.live("m1") == engine.Down })
	queued := r.say(testJob("m1", "glob", "queue_until", at.now().Add(50*time.Hour).Unix())).Map("load").String("jid")
	eventually(t, "it is queued", func() bool { return len(r.publications.Queued()) == 1 && r.closed(queued) })

	at.forward(25 * time.Hour)
	eventually(t, "the old job is cleaned up", func() bool { return r.storedOf(over) == "load false, 0 returns, 0 expectations" })
	r.cleanedUp()
	for what, jid := range map[string]string{"open": open, "queued": queued} {
		if got := r.storedOf(jid); got != "load true, 0 returns, 1 expectations" {
			t.Errorf("the %s job: %s", what, got)
		}
	}
	r.restart()
	if a, ok := r.jobs.State(open); !ok || a.Expected != 1 {
		t.Errorf("after a restart the open job's account is %+v, %v", a, ok)
	}
	if q := r.publications.Queued(); len(q) != 1 || q[0].JID != queued {
		t.Errorf("after a restart these are queued: %+v", q)
	}
	at.forward(26 * time.Hour)
	eventually(t, "its account says that it expired", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), queued)
		return err == nil && len(xs) == 1 && xs[0].Missing["m1"] == engine.Expired
	})
}
