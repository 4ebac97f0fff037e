package master

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
)

// jobRunner is a minion that remembers, across restarts, which jobs it has run.
type jobRunner struct {
	*minion
	tail *channel.Tail

	mu   sync.Mutex
	runs map[string]int
}

func newJobRunner(r *rig, id, key string) *jobRunner {
	return &jobRunner{minion: r.minion(id, "minion", key), tail: &channel.Tail{}, runs: map[string]int{}}
}

// take runs a new publication and returns its result.
func (j *jobRunner) take(p wire.Publication) {
	if p.Extra != nil && p.Extra.Has("mom_probe") {
		_ = j.answer(p.JID, wire.NewMap()) // jobs end at once here
		return
	}
	j.mu.Lock()
	j.runs[p.JID]++
	first := j.runs[p.JID] == 1
	if !first {
		j.runs[p.JID]-- // known by its jid: not run again
	}
	j.mu.Unlock()
	if first {
		j.deliver(p.JID)
	}
}

// deliver returns a job, repeatedly until it is acknowledged.
func (j *jobRunner) deliver(jid string) {
	for j.answer(jid, true) != nil {
		<-time.After(5 * time.Millisecond)
	}
}

// come connects, announces and catches up, as a mom minion does.
func (j *jobRunner) come() {
	j.listen()
	go func(heard chan wire.Publication, done chan struct{}) {
		for {
			select {
			case p := <-heard:
				j.tail.Note(p)
				j.take(p)
			case <-done:
				return
			}
		}
	}(j.heard, j.done)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	eventually(j.t, j.id+" announced", func() bool {
		reply, _, err := j.Announce(ctx, channel.Presence{Version: "test", Heard: j.tail})
		if err != nil || !reply.Bool("session") {
			return false
		}
		return !j.tail.Answer(reply) || j.CatchUp(ctx, j.tail, nil, j.take) == nil
	})
}

func (j *jobRunner) leave() {
	j.mute()
	j.tail.Lost()
}

func (j *jobRunner) ran(jid string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.runs[jid]
}

// A job published while a minion is away is delivered once when the minion is back and the job is
// still open, and the account is complete. Nobody waits for it: a disconnected minion is missing
// at once.
func TestUsers17aMissedPublication(t *testing.T) {
	r := newRig(t)
	r.start()
	j := newJobRunner(r, "m1", "minion")
	j.come()
	j.leave()
	eventually(t, "m1 gone", func() bool { return r.live("m1") == engine.Away })
	slow := r.minion("m2", "minion", "minion2").listen().announce()
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	slow.hear()
	if n := j.ran(jid); n != 0 {
		t.Fatal("it heard the job")
	}
	if d := events.take("salt/job/" + jid + "/missing"); d.Map("absent").Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("missing %v", plain(t, d))
	}
	j.come()
	eventually(t, "m1 answered", func() bool { a, _ := r.jobs.State(jid); return a.Returned == 1 })
	if err := slow.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	d := events.take("salt/job/" + jid + "/complete")
	if d.Int("returned") != 2 || d.Map("absent").Len() != 0 || j.ran(jid) != 1 {
		t.Errorf("complete %v, ran %d times", plain(t, d), j.ran(jid))
	}
	eventually(t, "what was kept for it to go", func() bool { return r.Stats().KeptPublications == 0 })
	if got := r.Stats(); got.Missed != 1 {
		t.Errorf("missed %d", got.Missed)
	}
}

// fannedOut waits until publications have reached the current subscribers.
func (r *rig) fannedOut() {
	r.t.Helper()
	eventually(r.t, "the fan-out to be done", func() bool { s := r.ports.Pub.Stats(); return s.FannedOut == s.Sent })
}

// Without retention the minion stays missing.
func TestRetentionOff(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.PublishRetention = 0 })
	r.start()
	j := newJobRunner(r, "m1", "minion")
	j.come()
	j.leave()
	eventually(t, "m1 gone", func() bool { return r.live("m1") == engine.Away })
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	d := events.take("salt/job/" + jid + "/complete")
	if d.Map("absent").Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("complete %v", plain(t, d))
	}
	r.fannedOut()
	j.come()
	if j.ran(jid) != 0 {
		t.Error("it ran a job that was over")
	}
}

// A peer gets only open jobs that match it.
func TestMissed_OnlyOwnPublications(t *testing.T) {
	r := newRig(t)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	other := r.minion("m2", "minion", "minion2")
	jid := r.say(testJob("m1", "glob")).Map("load").String("jid")
	m1.hear()
	count := func(m *minion, running ...string) (n int) {
		t.Helper()
		var tail channel.Tail
		if err := m.CatchUp(t.Context(), &tail, running, func(wire.Publication) { n++ }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if count(other) != 0 || count(m1) != 1 || count(m1, jid) != 0 {
		t.Error("sent to the wrong one")
	}
	if err := m1.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	if count(m1) != 0 {
		t.Error("sent although it was answered")
	}
	if v, err := m1.send(wire.NewMap("cmd", "_missed", "id", "m1", "heard", "nonsense")); err != nil || v != "" {
		t.Errorf("nonsense gave %v, %v", v, err)
	}
}

// Random order of jobs and restarts: each minion that the account counts as returned has run the
// job exactly once.
func TestEveryJobOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 1))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	r := newRig(t)
	r.start()
	js := []*jobRunner{newJobRunner(r, "m1", "minion"), newJobRunner(r, "m2", "minion2")}
	up := []bool{true, true}
	for _, j := range js {
		j.come()
	}
	var jids []string
	for range 25 {
		i := rnd.IntN(len(js))
		switch what := rnd.IntN(10); {
		case what < 5:
			jids = append(jids, r.say(testJob("*", "glob")).Map("load").String("jid"))
		case what < 7 && up[i]:
			js[i].leave()
			up[i] = false
		case what < 9 && !up[i]:
			js[i].come()
			up[i] = true
		case what == 9:
			for n, j := range js {
				if up[n] {
					j.leave()
				}
			}
			r.restart()
			for n, j := range js {
				if up[n] {
					j.come()
				}
			}
		}
	}
	for i, j := range js {
		if !up[i] {
			j.come()
		}
	}
	eventually(t, "all jobs over", func() bool { return len(r.jobs.Active()) == 0 })
	for _, jid := range jids {
		rets, err := r.store.Local().GetReturns(t.Context(), jid)
		if err != nil {
			t.Fatal(err)
		}
		ran := map[string]int{}
		for _, j := range js {
			ran[j.id] = j.ran(jid)
		}
		for _, ret := range rets {
			if ran[ret.ID] != 1 {
				t.Errorf("job %s: %s returned and ran it %d times", jid, ret.ID, ran[ret.ID])
			}
			delete(ran, ret.ID)
		}
		for id, n := range ran {
			if n != 0 {
				t.Errorf("job %s: %s ran it %d times and no return is stored", jid, id, n)
			}
		}
	}
}

// A job stays queued for an offline minion across a restart of the master. The minion runs it when
// it is back, and the account is complete before and after.
func TestQueue(t *testing.T) {
	r := newRig(t)
	r.start()
	j, here := newJobRunner(r, "m1", "minion"), newJobRunner(r, "m2", "minion2")
	j.come()
	here.come()
	j.leave()
	eventually(t, "m1 down", func() bool { return r.live("m1") == engine.Down })
	events := r.events()
	until := time.Now().Add(time.Hour).Unix()
	jid := r.say(testJob("*", "glob", "kwargs", wire.NewMap("queue_until", until))).Map("load").String("jid")
	d := events.take("salt/job/" + jid + "/complete")
	if d.Int("expected") != 2 || d.Int("returned") != 1 || d.Map("absent").Map("m1").String("reason") != engine.Queued {
		t.Errorf("complete %v", plain(t, d))
	}
	queued := func() *wire.Map {
		t.Helper()
		v, err := r.publications.QueuedTree(t.Context(), r.below)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if q := queued(); q.Map(jid) == nil || q.Map(jid).Map("Minions").Len() != 1 {
		t.Errorf("queued %v", plain(t, q))
	}
	here.leave()
	r.restart()
	here.come()
	if q := queued(); q.Map(jid) == nil || !q.Map(jid).Map("Minions").Has("m1") || q.Map(jid).Map("Minions").Has("m2") {
		t.Errorf("queued after a restart %v", plain(t, q))
	}
	j.come()
	eventually(t, "nobody is queued for", func() bool { return queued().Len() == 0 })
	if j.ran(jid) != 1 || here.ran(jid) != 1 {
		t.Errorf("ran %d and %d times", j.ran(jid), here.ran(jid))
	}
	if _, _, err := r.publications.DequeueTree(t.Context(), r.below, jid); err == nil {
		t.Error("dequeued a job that is not queued")
	}
}

// A queued minion expires at the deadline and does not receive the job later. The same holds for a
// cancelled job.
func TestQueueEnds(t *testing.T) {
	for _, reason := range []string{engine.Expired, engine.Dequeued} {
		t.Run(reason, func(t *testing.T) {
			at := &clock{at: time.Now()}
			r := newRig(t)
			r.opts.Now = at.now
			r.start()
			j := newJobRunner(r, "m1", "minion")
			j.come()
			j.leave()
			eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
			at.forward(10 * time.Second)
			eventually(t, "m1 down", func() bool { return r.live("m1") == engine.Down })
			events := r.events()
			jid := r.say(testJob("*", "glob", "queue_until", at.now().Add(time.Minute).Unix())).Map("load").String("jid")
			events.take("salt/job/" + jid + "/complete")
			if reason == engine.Expired {
				at.forward(2 * time.Minute)
			} else if got, _, err := r.publications.DequeueTree(t.Context(), r.below, jid); err != nil || fmt.Sprint(got) != "[m1]" {
				t.Fatalf("dequeue: %v, %v", got, err)
			}
			events.find("word of its end", func(e bus.Event) bool {
				if e.Tag != "salt/job/"+jid+"/missing" {
					return false
				}
				d, err := wire.DecodeMap(e.Data)
				return err == nil && d.Map("absent").Map("m1").String("reason") == reason
			})
			r.fannedOut()
			j.come()
			if j.ran(jid) != 0 {
				t.Error("it ran the job all the same")
			}
			if a, ok := r.jobs.State(jid); !ok || a.Expected != 1 || a.Missing["m1"].Reason != reason {
				t.Errorf("account %+v", a)
			}
		})
	}
	r := newRig(t).start()
	r.minion("m1", "minion", "minion")
	for _, bad := range []any{-5, "soon", time.Now().Add(10000 * time.Hour).Unix()} {
		if e := r.say(testJob("*", "glob", "queue_until", bad)).Map("error"); e == nil {
			t.Errorf("queue_until %v was taken", bad)
		}
	}
}
